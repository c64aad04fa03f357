export { hasOpenssl, makeCertificate, type TestCertificate } from './certificate.js';
export { TlsFront } from './tls-front.js';
