//! Paths without the tags of languages in them: `guide-en/start.md` and `guide-zh/start.md` are the same then.

/// How folders and files are marked as English or Chinese.
const LANGUAGE_TAGS: [&str; 18] = [
    "en",
    "eng",
    "english",
    "us",
    "gb",
    "zh",
    "cn",
    "tw",
    "hk",
    "chs",
    "cht",
    "hans",
    "hant",
    "chinese",
    "中文",
    "英文",
    "简体中文",
    "繁体中文",
];

/// A path without the tags of languages in it.
pub fn untagged(path: &str) -> String {
    let parts = path.split(['/', '-', '_', '.']).filter(|part| !LANGUAGE_TAGS.contains(&part.to_lowercase().as_str()));
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::untagged;

    #[test]
    fn tags_of_languages_are_taken_out_of_paths() {
        assert_eq!(untagged("docs/k8s-en/pods/_index.md"), untagged("docs/k8s-zh/pods/_index.md"));
        assert_eq!(untagged("README.md"), untagged("README.zh-CN.md"));
        assert_ne!(untagged("guide/en/start.md"), untagged("guide/zh/stop.md"));
        assert_ne!(untagged("engine.md"), untagged("zhengine.md"));
    }
}
