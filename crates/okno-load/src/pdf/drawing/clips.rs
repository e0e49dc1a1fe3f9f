//! Clips inside of clips: what is drawn shows only inside all of them. A clip becomes a mask of pixels when something
//! is drawn that it cuts, and not before: most are never needed.

use std::cell::OnceCell;
use std::rc::Rc;

use hayro_interpret::kurbo::Rect;
use tiny_skia::{FillRule, Mask, Path, Transform};

/// A clip and those around it.
pub(super) struct Clip {
    bounds: Rect,
    path: Option<(Path, FillRule)>,
    around: Option<Rc<Self>>,
    mask: OnceCell<Option<Rc<Mask>>>,
}

/// How a clip cuts what is drawn.
pub(super) enum ClipEffect {
    /// Nothing of it shows.
    Away,
    /// All of it shows.
    Not,
    /// What the mask lets through.
    To(Rc<Mask>),
}

impl Clip {
    /// Nothing is cut but what lies outside of the picture.
    pub fn all(bounds: Rect) -> Rc<Self> {
        Rc::new(Self { bounds, path: None, around: None, mask: OnceCell::new() })
    }

    /// Another clip inside of this one; both in pixels.
    pub fn inside(self: &Rc<Self>, path: Option<Path>, bounds: Rect, rule: FillRule) -> Rc<Self> {
        let bounds = self.bounds.intersect(bounds);
        Rc::new(Self {
            bounds,
            path: path.map(|path| (path, rule)),
            around: Some(Rc::clone(self)),
            mask: OnceCell::new(),
        })
    }

    /// The part of the picture that shows at most.
    pub fn bounds(&self) -> Rect {
        self.bounds
    }

    /// How something with these bounds is cut, on a picture of this size.
    pub fn cut(&self, bounds: Rect, size: (u32, u32)) -> ClipEffect {
        let shown = bounds.intersect(self.bounds);
        if shown.width() <= 0.0 || shown.height() <= 0.0 {
            return ClipEffect::Away;
        }
        match self.mask(size) {
            Some(mask) => ClipEffect::To(mask),
            None => ClipEffect::Not,
        }
    }

    fn mask(&self, size: (u32, u32)) -> Option<Rc<Mask>> {
        let made = || {
            let around = self.around.as_ref().and_then(|around| around.mask(size));
            let Some((path, rule)) = &self.path else { return around };
            let mask = if let Some(around) = around {
                let mut mask = (*around).clone();
                mask.intersect_path(path, *rule, true, Transform::identity());
                mask
            } else {
                let mut mask = Mask::new(size.0, size.1)?;
                mask.fill_path(path, *rule, true, Transform::identity());
                mask
            };
            Some(Rc::new(mask))
        };
        self.mask.get_or_init(made).clone()
    }
}
