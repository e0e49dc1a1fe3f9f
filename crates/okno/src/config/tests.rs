use super::*;
use crate::retrieve::Expansion;

fn refused(text: &str) -> String {
    Config::parse(text, "okno.toml").unwrap_err().to_string()
}

#[test]
fn unknown_keys_name_the_line_and_the_nearest_key() {
    for (text, expected) in [
        ("k = 3\nbuget = 5\n", "okno.toml:2: no key `buget` here; did you mean `budget`"),
        (
            "[index]\n\nmax_filesize = \"1MB\"\n",
            "okno.toml:3: no key `max_filesize` here; did you mean `max_file_size`",
        ),
        ("[fetch]\ntimout = 3\n", "okno.toml:2: no key `timout` here; did you mean `timeout`"),
        ("[fields.date]\nembeded = true\n", "okno.toml:2: no key `embeded` here; did you mean `embed`"),
        ("[[rules]]\npath = \"*\"\nsett = { a = 1 }\n", "okno.toml:3: no key `sett` here; did you mean `set`"),
        (
            "\n[recipes.mine]\nfrom = \"window\"\nbuget = 5\n",
            "okno.toml:4: recipe `mine`: no key `buget` here; did you mean `budget`",
        ),
    ] {
        let error = refused(text);
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn wrong_values_say_where_and_why() {
    for (text, parts) in [
        ("k = \"three\"", ["okno.toml:1: ", "invalid type"]),
        ("k = ", ["okno.toml:1: ", ""]),
        ("legs = []", ["okno.toml: ", "`legs` is empty"]),
        ("legs = [\"dense\", \"sparse\"]", ["okno.toml:1: ", "sparse"]),
        ("[index]\nmax_file_size = \"64 parsecs\"", ["okno.toml:2: ", "expected something like `64MB`"]),
        ("[index]\nexclude = [\"{a\"]", ["okno.toml: ", "`exclude`"]),
        ("[index]\nchunk = \"chunk:0\"", ["okno.toml:2: ", "chunk"]),
        ("[fetch]\ndelay = -1.0", ["okno.toml: ", "seconds"]),
        ("[model]\ntemperature = 3", ["okno.toml: ", "from 0 to 2"]),
        ("[model]\nconcurrency = 0", ["okno.toml: ", "at least 1"]),
        ("[model]\nkey = \"sk-1\"", ["okno.toml:2: ", "did you mean `key_env`"]),
        (
            "k = 1\n[[rules]]\nset = { a = 1 }\n\n[[rules]]\npath = \"a/*\"\nset = { x = \"$2\" }\n",
            ["okno.toml:5: rule 2:", "`$2`"],
        ),
        ("[recipes.auto]\nfrom = \"window\"", ["okno.toml:1: ", "built-in recipe of this name"]),
        ("[recipes.x]\nfrom = \"vindow\"", ["recipe `x`", "there are `auto`"]),
        ("[recipes.x]\nk = 3", ["recipe `x`: the key `layers` is missing", "`from = \"window\"`"]),
        ("[recipes.x]\nfrom = \"auto\"\nk = 0", ["recipe `x`", "`k` must be more than 0"]),
        ("[recipes.x]\nfrom = \"auto\"\nweights = { dense = [1.0] }", ["recipe `x`", "each of the 3 layers"]),
    ] {
        let error = refused(text);
        assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
    }
}

#[test]
fn own_recipes_start_from_built_in_ones() {
    let text = "[recipes.wide]\nfrom = \"window\"\nexpand = \"window:5\"\nk = 8\n[recipes.own]\nlayers = \
        [\"sentence\"]\nfusion = \"rrf:60\"\ndepth = 9\nk = 2\nexpand = \"none\"\nbudget = 90\n";
    let recipes = Config::parse(text, "").unwrap().recipes().unwrap();
    let (wide, window) = (&recipes["wide"], &recipes["window"]);
    assert_eq!((wide.expand, wide.k, wide.budget), (Expansion::Window(5), 8, window.budget));
    assert_eq!(wide.about, "as `window`, with another expand, k");
    assert_eq!((recipes["own"].budget, recipes["own"].depth), (90, 9));
    let changed = "[recipes.x]\nfrom = \"auto\"\nlayers = [\"sentence\"]\n";
    assert!(
        Config::parse(changed, "").unwrap().recipes().unwrap()["x"].weights.is_empty(),
        "weights go with their layers"
    );
}

#[test]
fn the_nearest_layer_wins_and_says_so() {
    let variables = |name: &str| match name {
        "OKNO_BUDGET" => Some("50".to_owned()),
        "OKNO_LEGS" => Some("dense, lexical".to_owned()),
        "OKNO_INDEX_HIDDEN" => Some("true".to_owned()),
        _ => None,
    };
    let index = "budget = 500\nk = 7\n[index]\nexclude = [\"a\"]\n[recipes.r]\nfrom = \"window\"\nk = 1\n[[rules]]\n\
        set = { near = 1 }\n";
    let user = "budget = 900\nk = 9\nrecipe = \"section\"\n[index]\nhidden = false\nmax_file_size = \"1k\"\n\
        [recipes.r]\nfrom = \"auto\"\nbudget = 3\n[[rules]]\nset = { far = 1 }\n";
    let settings = Settings::new(vec![
        SettingLayer::environment(variables).unwrap(),
        SettingLayer::file(index, Origin::Index("near/okno.toml".into())).unwrap(),
        SettingLayer::file(user, Origin::User("far/okno.toml".into())).unwrap(),
    ])
    .unwrap();
    let values = settings.values();
    assert_eq!((values.budget, values.k, values.recipe.as_deref()), (Some(50), Some(7), Some("section")));
    assert_eq!((values.max_file_size(), values.index.hidden), (1024, Some(true)));
    assert_eq!(values.selection().unwrap().exclude, ["a"]);
    let fields: Vec<String> = values.rules().iter().flat_map(|rule| rule.set.keys().cloned()).collect();
    assert_eq!(fields, ["far", "near"], "the nearer rule has the last word");
    let recipe = &values.recipes().unwrap()["r"];
    assert_eq!((recipe.k, recipe.expand), (1, Expansion::Window(3)), "a recipe is replaced whole");
    for (name, origin) in [
        ("budget", "environment"),
        ("k", "near/okno.toml"),
        ("recipe", "far/okno.toml"),
        ("index.max_file_size", "far/okno.toml"),
        ("fetch.delay", "default"),
    ] {
        assert_eq!(settings.origin(name).to_string(), origin, "{name}");
    }
}

#[test]
fn variables_are_checked_like_files() {
    for (name, value, expected) in [
        ("OKNO_BUDGET", "many", "OKNO_BUDGET: `many` is not a number"),
        ("OKNO_BUDGET", "-4", "OKNO_BUDGET: invalid value"),
        ("OKNO_LEGS", "sparse", "OKNO_LEGS: unknown variant `sparse`"),
        ("OKNO_INDEX_PRESET", "novel", "OKNO_INDEX_PRESET: unknown variant `novel`"),
        ("OKNO_K", "1\nrecipe = \"x\"", "OKNO_K: "),
    ] {
        let error =
            SettingLayer::environment(|asked| (asked == name).then(|| value.to_owned())).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// The words shown for defaults must be the defaults.
#[test]
fn defaults_are_what_they_are_said_to_be() {
    let said = |name: &str| KEYS.iter().find(|key| key.name == name).unwrap().default;
    let toml: String = ["timeout", "delay", "redirects", "robots", "allow_private"]
        .map(|key| format!("{key} = {}\n", said(&format!("fetch.{key}"))))
        .concat();
    let texts =
        ["max_size", "user_agent"].map(|key| format!("{key} = \"{}\"\n", said(&format!("fetch.{key}")))).concat();
    let written = Config::parse(&format!("[fetch]\n{toml}{texts}"), "").unwrap();
    assert_eq!(written.fetch(), FetchOptions::default());
    let model = ["temperature", "timeout", "concurrency", "vision"]
        .map(|key| format!("{key} = {}\n", said(&format!("model.{key}"))));
    let written = Config::parse(&format!("[model]\n{}", model.concat()), "").unwrap().model;
    let default = ModelConfig::default();
    assert_eq!(written.temperature.map(f32::to_bits), Some(default.temperature().to_bits()));
    assert_eq!((written.timeout(), written.concurrency()), (default.timeout(), default.concurrency()));
    assert_eq!(said("index.max_file_size").parse(), Ok(ByteSize(MAX_FILE_SIZE)));
    assert_eq!(said("recipe"), crate::store::DEFAULT_RECIPE);
    let neighbors = &crate::retrieve::built_in().unwrap()["neighbors"];
    assert_eq!(said("index.chunk"), neighbors.layers[0].to_string());
    assert_eq!(neighbors.expand, Expansion::Neighbors(said("index.neighbors").parse().unwrap()));
}

#[test]
fn secrets_are_read_and_never_printed() {
    let mut secrets = Secrets::default();
    secrets.add("# keys\nexport OKNO_TEST_KEY = \"s3cret\" # mine\nOTHER_KEY=plain # note\nEMPTY=\nnonsense\n");
    secrets.add("OTHER_KEY=later");
    assert_eq!(secrets.get("OKNO_TEST_KEY").as_deref(), Some("s3cret"));
    assert_eq!(secrets.get("OTHER_KEY").as_deref(), Some("plain"));
    assert_eq!(secrets.get("EMPTY"), None);
    assert_eq!(secrets.names()["OTHER_KEY"], Some(".env"));
    let printed = format!("{secrets:?}");
    assert!(printed.contains("OTHER_KEY") && !printed.contains("plain") && !printed.contains("s3cret"), "{printed}");
}
