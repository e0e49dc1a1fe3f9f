//! `robots.txt`, as RFC 9309 reads it: the group of our name or else of `*`; the longest matching rule counts,
//! `Allow` on a tie.

/// Rules of one site for one visitor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Robots {
    rules: Vec<(bool, String)>,
}

/// More of a file than this is not read, as the standard allows.
pub const MAX_BYTES: u64 = 500 << 10;

impl Robots {
    /// Everything is forbidden: what the standard asks for when a site cannot say.
    pub fn forbidding() -> Self {
        Self { rules: vec![(false, "/".to_owned())] }
    }

    /// Reads the rules for a visitor of this name.
    pub fn parse(text: &str, agent: &str) -> Self {
        let agent = agent.split(['/', ' ']).next().unwrap_or_default().to_ascii_lowercase();
        let groups = groups(text);
        let is_for = |group: &Group, name: &str| group.agents.iter().any(|agent| agent == name);
        // A group of our name counts even when it forbids nothing.
        let name = if groups.iter().any(|group| is_for(group, &agent)) { &agent } else { "*" };
        let rules = groups.into_iter().filter(|group| is_for(group, name)).flat_map(|group| group.rules);
        Self { rules: rules.collect() }
    }

    /// Whether a path may be fetched.
    pub fn allows(&self, target: &str) -> bool {
        let matching = self.rules.iter().filter(|(_, pattern)| matches(pattern, target));
        let longest = matching.max_by_key(|(allow, pattern)| (pattern.len(), *allow));
        longest.is_none_or(|(allow, _)| *allow)
    }
}

/// Visitors and the rules for them.
#[derive(Default)]
struct Group {
    agents: Vec<String>,
    rules: Vec<(bool, String)>,
}

/// The groups of a file: names that follow one another share the rules that follow them.
fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = vec![Group::default()];
    let mut naming = false;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        if key == "user-agent" && !naming {
            groups.push(Group::default());
        }
        let Some(group) = groups.last_mut() else { continue };
        match key.as_str() {
            "user-agent" => group.agents.push(value.to_ascii_lowercase()),
            // An empty rule forbids nothing.
            "allow" | "disallow" if !value.is_empty() => group.rules.push((key == "allow", value.to_owned())),
            "allow" | "disallow" => {}
            _ => continue,
        }
        naming = key == "user-agent";
    }
    groups
}

/// Whether a target begins as a pattern says; `*` is anything, `$` the end.
fn matches(pattern: &str, target: &str) -> bool {
    let (pattern, anchored) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let Some(mut rest) = target.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (i, part) in parts.iter().enumerate() {
        if anchored && i + 1 == parts.len() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    !anchored || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_our_name_counts() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: Okno\nUser-agent: other\nDisallow: /private # not for \
            you\nAllow: /private/open\n";
        let ours = Robots::parse(text, "okno/0.1.0");
        assert!(ours.allows("/") && ours.allows("/private/open/x") && !ours.allows("/private/x"));
        assert!(!Robots::parse(text, "somebody").allows("/x"));
        assert!(Robots::parse("", "okno").allows("/x") && !Robots::forbidding().allows("/x"));
        assert!(Robots::parse("User-agent: okno\nDisallow:\n\nUser-agent: *\nDisallow: /", "okno").allows("/x"));
    }

    #[test]
    fn patterns_have_stars_and_ends() {
        for (pattern, target, expected) in [
            ("/a", "/abc", true),
            ("/a$", "/abc", false),
            ("/*.pdf$", "/x/y.pdf", true),
            ("/*.pdf$", "/x/y.pdf?q", false),
            ("/a*c", "/abbc/d", true),
            ("/a*$", "/abc", true),
            ("/b", "/a", false),
        ] {
            assert_eq!(matches(pattern, target), expected, "{pattern} {target}");
        }
    }
}
