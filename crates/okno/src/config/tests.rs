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
        ("[models.fast]\ntemprature = 1\n", "okno.toml:2: no key `temprature` here; did you mean `temperature`"),
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
        ("[models.fast]\ntemperature = 3", ["okno.toml: [models.fast] `temperature`", "from 0 to 2"]),
        ("[models.fast]\nmax_tokens = 0", ["okno.toml: [models.fast] `max_tokens`", "at least 1"]),
        ("[models.fast]\ntimeout = 0", ["okno.toml: [models.fast] `timeout`", "seconds"]),
        ("\n[models.default]\nname = \"m\"", ["okno.toml:2: ", "`default` is the model in `[model]`"]),
        ("[models.\"a/b\"]\nname = \"m\"", ["okno.toml:1: ", "invalid name of a model `a/b`"]),
        ("[models.qwen2.5]\nname = \"m\"", ["okno.toml:1: ", "`qwen2.5`"]),
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
fn a_model_takes_from_the_default_one_what_is_not_its_service() {
    let text = "[model]\nprovider = \"dashscope\"\nkey_env = \"MINE\"\nname = \"qwen-plus\"\nvision = true\n\
        timeout = 9\ncache = \"1MB\"\nprompts = \"ours\"\n[models.large]\nname = \"qwen-max\"\ntimeout = 90\n\
        [models.\"qwen2.5\"]\nprovider = \"ollama\"\n[models.warm]\ntemperature = 1\n";
    let config = Config::parse(text, "").unwrap();
    assert_eq!(config.model_names().collect::<Vec<_>>(), ["default", "large", "qwen2.5", "warm"]);
    let named = |name: &str| config.model_named(name).unwrap();
    let (default, large, local, warm) = (named("default"), named("large"), named("qwen2.5"), named("warm"));
    let place = |model: &ModelConfig| (model.provider.clone(), model.key_env.clone(), model.name.clone(), model.vision);
    assert_eq!(default, config.model);
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(place(&large), (said("dashscope"), said("MINE"), said("qwen-max"), None), "another model there");
    assert_eq!(place(&local), (said("ollama"), None, None, None), "a key is sent to its own service only");
    assert_eq!(warm, ModelConfig { temperature: Some(1.0), ..config.model.clone() }, "the same model");
    assert_eq!((large.timeout, local.timeout), (Some(90.0), Some(9.0)));
    assert_eq!((local.cache, local.prompts), (Some(ByteSize(1 << 20)), said("ours")));
    assert_eq!(config.model_named("lage"), None);
}

/// Merged key by key, the address of one file would get the key that another names.
#[test]
fn a_model_of_ones_own_is_replaced_whole() {
    let index = "[models.fast]\nbase_url = \"http://near/v1\"\n";
    let user = "[models.fast]\nbase_url = \"http://far/v1\"\nkey_env = \"MINE\"\n[models.far]\nname = \"m\"\n";
    let layers = [(index, Origin::Index("near.toml".into())), (user, Origin::User("far.toml".into()))];
    let layers = layers.map(|(text, origin)| SettingLayer::file(text, origin).unwrap());
    let settings = Settings::new(layers.into()).unwrap();
    let fast = settings.values().model_named("fast").unwrap();
    assert_eq!((fast.base_url.as_deref(), fast.key_env), (Some("http://near/v1"), None));
    assert_eq!(settings.values().model_names().collect::<Vec<_>>(), ["default", "far", "fast"]);
    let shown: Vec<_> = settings.shown().into_iter().filter(|shown| shown.name.starts_with("models.")).collect();
    let shown: Vec<_> = shown.iter().map(|shown| (shown.name.as_str(), shown.origin.to_string())).collect();
    let far = "far.toml".to_owned();
    assert_eq!(shown, [("models.fast", "near.toml".to_owned()), ("models.far", far.clone()), ("models.fast", far)]);
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
