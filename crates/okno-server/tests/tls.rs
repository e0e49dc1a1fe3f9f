//! TLS: requests are answered over it, plain ones are not, and a renewed certificate is used at once.

mod support;

use okno_server::TlsFiles;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::Server;

/// Certificates for `localhost` that were made for this test, and their keys.
fn made(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// The answer to a request by a client that trusts one certificate.
fn ask(address: SocketAddr, trusted: &str) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(made(trusted)).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address)?);
    stream.write_all(b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    // How the other side ends the connection does not matter once all is there.
    let _ = stream.read_to_end(&mut answer);
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn requests_are_answered_over_tls_and_a_new_certificate_is_used_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let files = TlsFiles { certificate: folder.path().join("cert.pem"), key: folder.path().join("key.pem") };
    let install = |name: &str| {
        std::fs::copy(made(&format!("{name}-key.pem")), &files.key).unwrap();
        std::fs::copy(made(&format!("{name}.pem")), &files.certificate).unwrap();
    };
    install("first");
    let server = Server::with(|settings| settings.tls = Some(files.clone()));
    let answer = ask(server.address, "first.pem").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"documents\""), "{answer}");
    assert!(ask(server.address, "second.pem").is_err(), "another certificate is not the server's");
    let (status, ..) = server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(status, 0, "plain requests are not answered");
    install("second");
    assert!(ask(server.address, "second.pem").unwrap().starts_with("HTTP/1.1 200"));
    std::fs::write(&files.certificate, "not a certificate").unwrap();
    assert!(ask(server.address, "second.pem").unwrap().starts_with("HTTP/1.1 200"), "the one before is kept");
}
