"""A document splitter over the splitters of Okno."""

from haystack_integrations.components.preprocessors.okno.splitter import OknoSplitter

__all__ = ["OknoSplitter"]
