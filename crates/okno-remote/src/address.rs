//! The address of an index on a server: `scheme://host:port,host2:port/name?option=value`.

okno_document::messages! {
    /// Why an address is not valid.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum AddressError {
        /// What is wrong, and with which address.
        Invalid {
            /// As it was given.
            given: String,
            /// What is wrong with it.
            flaw: AddressFlaw,
            /// What one looks like.
            example: &'static str,
        } = "bad_address" => (
            "`{given}` is not a valid index address: {flaw}; expected `{example}`",
            "`{given}` 不是有效的索引地址：{flaw}；应类似 `{example}`"
        ),
    }
}

okno_document::messages! {
    /// What is wrong with an address.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum AddressFlaw {
        /// Another scheme.
        Scheme {
            /// The one that was expected.
            scheme: &'static str,
        } = "scheme" => ("it does not begin with `{scheme}`", "没有以 `{scheme}` 开头"),
        /// No name of an index.
        NoName = "no_name" => ("the name is missing", "缺少名称"),
        /// No host, or one with user and password.
        Host {
            /// The environment variables that hold what is not part of an address.
            secrets: &'static str,
        } = "host" => (
            "the host is not valid (a key is set in {secrets})",
            "主机无效（密钥请通过 {secrets} 设置）"
        ),
        /// A name that no engine accepts.
        Name = "name" => (
            "a name consists of letters, digits and `_` and does not begin with a digit",
            "名称只能由字母、数字和 `_` 组成，且不能以数字开头"
        ),
        /// A name that this engine does not accept.
        NameCase = "name_case" => (
            "a name has no capital letters and does not begin with `_`",
            "名称不能含大写字母，也不能以 `_` 开头"
        ),
        /// The port.
        Port = "port" => ("the port is not a number", "端口不是数字"),
        /// An unknown option.
        Option {
            /// Those that there are.
            options: &'static str,
        } = "option" => ("the options are {options}", "可用的选项：{options}"),
    }
}

/// What every address has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressParts<'t> {
    /// Hosts with their ports.
    pub hosts: Vec<String>,
    /// The index.
    pub name: &'t str,
    /// The options, in order.
    pub options: Vec<(&'t str, &'t str)>,
}

impl<'t> AddressParts<'t> {
    /// Reads an address; `port` is that of hosts without one, `secrets` where user and password belong.
    pub fn read(
        text: &'t str,
        scheme: &'static str,
        port: u16,
        secrets: &'static str,
    ) -> Result<AddressParts<'t>, AddressFlaw> {
        let rest = text.strip_prefix(scheme).ok_or(AddressFlaw::Scheme { scheme })?;
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, name) = place.split_once('/').ok_or(AddressFlaw::NoName)?;
        let host = |host: &str| {
            if host.is_empty() || host.contains(['@', ' ', '\\']) {
                return Err(AddressFlaw::Host { secrets });
            }
            let own = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
            match own.map(|(_, port)| port.parse::<u16>()) {
                None => Ok(format!("{host}:{port}")),
                Some(Ok(_)) => Ok(host.to_owned()),
                Some(Err(_)) => Err(AddressFlaw::Port),
            }
        };
        let hosts = hosts.split(',').map(host).collect::<Result<_, _>>()?;
        if !is_name(name) {
            return Err(AddressFlaw::Name);
        }
        let options = options.split('&').filter(|option| !option.is_empty());
        Ok(Self {
            hosts,
            name,
            options: options.map(|option| option.split_once('=').unwrap_or((option, ""))).collect(),
        })
    }
}

/// What an engine takes as a name.
pub fn is_name(text: &str) -> bool {
    text.len() <= 200
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
