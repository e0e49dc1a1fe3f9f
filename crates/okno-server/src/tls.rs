//! TLS by certificates in files: they are read again when they change, so that a renewed certificate needs no restart.

use crate::keys::{FileStamp, file_stamp};
use okno_document::message::Opaque;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_rustls::TlsAcceptor;

/// The files of a server's certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and those above it, in PEM.
    pub certificate: PathBuf,
    /// Its private key, in PEM.
    pub key: PathBuf,
}

okno_document::messages! {
    /// Why a certificate cannot be used.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum TlsError {
        /// A file cannot be read.
        Unreadable { /** The file. */ path: PathBuf, /** Why. */ cause: Opaque } =
            "tls_file" => (
            "`{path}` cannot be read: {cause}; expected a PEM file",
            "无法读取 `{path}`：{cause}；应为 PEM 文件"
        ),
        /// Certificate and key do not fit, or are of a kind that is not supported.
        Unusable { /** The file of the certificate. */ path: PathBuf, /** Why. */ cause: Opaque } =
            "tls_certificate" => (
            "the certificate in `{path}` cannot be used: {cause}; check that the key is that of the certificate",
            "无法使用 `{path}` 中的证书：{cause}；请检查密钥是否与证书对应"
        ),
    }
}

type FileStamps = [Option<FileStamp>; 2];

/// A certificate as its files have it now.
#[derive(Debug)]
pub struct CurrentCertificate {
    files: TlsFiles,
    known: Mutex<(FileStamps, Arc<ServerConfig>)>,
}

impl CurrentCertificate {
    /// Reads the files.
    pub fn new(files: TlsFiles) -> Result<Self, TlsError> {
        let known = Mutex::new((stamps(&files), read(&files)?));
        Ok(Self { files, known })
    }

    /// Accepts connections with the certificate of now. Files that cannot be used leave the one before.
    pub fn acceptor(&self) -> TlsAcceptor {
        let now = stamps(&self.files);
        // Both parts are replaced at once.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != now {
            known.0 = now;
            match read(&self.files) {
                Ok(config) => known.1 = config,
                Err(error) => tracing::warn!(%error, "the certificate before is used"),
            }
        }
        TlsAcceptor::from(Arc::clone(&known.1))
    }
}

fn stamps(files: &TlsFiles) -> FileStamps {
    [file_stamp(&files.certificate), file_stamp(&files.key)]
}

fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let path = &files.certificate;
    let failed = |path: &PathBuf, cause| TlsError::Unreadable { path: path.clone(), cause: Opaque::new(cause) };
    let chain = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|cause| failed(path, cause))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|cause| failed(&files.key, cause))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(|cause| TlsError::Unusable { path: path.clone(), cause: Opaque::new(cause) })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
