//! Encryption of the connection to a PostgreSQL server: rustls between the client and its socket.
//!
//! A server is believed only with a certificate of its name, by the public authorities or by one that the address
//! names. On this machine nothing is encrypted unless the address asks for it: there is no network in between, and the
//! certificates that packages make for themselves are of no authority.

use crate::{Error, Result};
use postgres::Socket;
use postgres::config::{Host, SslMode};
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use std::fmt;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;

/// Whether a connection is encrypted: as the address says, but a password goes over a network only with encryption or
/// where the address goes without it. `has_authority` says that the address names one, so that encryption is meant.
pub fn mode(config: &postgres::Config, has_authority: bool) -> SslMode {
    match config.get_ssl_mode() {
        SslMode::Prefer if has_authority => SslMode::Require,
        SslMode::Prefer if is_local(config) => SslMode::Disable,
        SslMode::Prefer if config.get_password().is_some() => SslMode::Require,
        said => said,
    }
}

/// Whether the server is on this machine, wherever of its addresses it is reached.
fn is_local(config: &postgres::Config) -> bool {
    if !config.get_hostaddrs().is_empty() {
        return config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback);
    }
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

/// Encrypts connections.
#[derive(Clone)]
pub struct Encryption(TlsConnector);

impl Encryption {
    /// Trusts the public authorities, or only those of a file in PEM.
    pub fn new(authority: Option<&Path>) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        match authority {
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(path) => {
                let wrong = |words: String| Error::Certificate { path: path.to_owned(), words };
                let certificates = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
                for certificate in certificates {
                    let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                    roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
                }
                if roots.is_empty() {
                    return Err(wrong("no certificate".to_owned()));
                }
            }
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let builder = builder.with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| Error::Address(error.to_string()))?;
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        // What servers of version 17 ask for where they are talked to encrypted from the first byte.
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

/// Encryption that failed.
#[derive(Debug)]
pub struct EncryptionFailed(io::Error);

impl fmt::Display for EncryptionFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for EncryptionFailed {}

impl MakeTlsConnect<Socket> for Encryption {
    type Stream = EncryptedStream;
    type TlsConnect = NamedEncryption;
    type Error = EncryptionFailed;

    fn make_tls_connect(&mut self, domain: &str) -> std::result::Result<NamedEncryption, EncryptionFailed> {
        let name = ServerName::try_from(domain.to_owned());
        let name = name.map_err(|error| EncryptionFailed(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
        Ok(NamedEncryption { connector: self.0.clone(), name })
    }
}

/// Encrypts the connection to one server.
pub struct NamedEncryption {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for NamedEncryption {
    type Stream = EncryptedStream;
    type Error = EncryptionFailed;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<EncryptedStream, EncryptionFailed>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        let connecting = self.connector.connect(self.name, socket);
        Box::pin(
            async move { connecting.await.map(|stream| EncryptedStream(Box::new(stream))).map_err(EncryptionFailed) },
        )
    }
}

/// An encrypted connection.
pub struct EncryptedStream(Box<client::TlsStream<Socket>>);

impl TlsStream for EncryptedStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for EncryptedStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(cx, into)
    }
}

impl AsyncWrite for EncryptedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(cx, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_goes_over_a_network_only_with_encryption() {
        let mode = |address: &str, password: bool, authority: bool| {
            let mut config: postgres::Config = address.parse().unwrap();
            if password {
                config.password("secret");
            }
            super::mode(&config, authority)
        };
        for (address, expected) in [
            ("postgres://u@db.example/x", SslMode::Require),
            ("postgres://u@db.example/x?sslmode=prefer", SslMode::Require),
            ("postgres://u@db.example/x?sslmode=require", SslMode::Require),
            ("postgres://u@db.example/x?sslmode=disable", SslMode::Disable),
            ("postgres://u@localhost,db.example/x", SslMode::Require),
            ("postgres://u@localhost/x?hostaddr=192.0.2.7", SslMode::Require),
            ("postgres://u@db.example/x?hostaddr=127.0.0.1", SslMode::Disable),
            ("postgres://u@localhost/x", SslMode::Disable),
            ("postgres://u@127.0.0.1/x", SslMode::Disable),
            ("postgres://u@[::1]/x", SslMode::Disable),
            ("postgres://u@127.0.0.1/x?sslmode=require", SslMode::Require),
            ("postgres://u@%2Fvar%2Frun%2Fpostgresql/x", SslMode::Disable),
        ] {
            assert_eq!(mode(address, true, false), expected, "{address}");
        }
        assert_eq!(mode("postgres://u@db.example/x", false, false), SslMode::Prefer, "there is nothing to lose");
        assert_eq!(mode("postgres://u@localhost/x", true, true), SslMode::Require, "an authority is for something");
    }
}
