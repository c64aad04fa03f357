import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate for `localhost` that signs itself, and its key: made now, good for a day. */
export interface TestCertificate {
  readonly key: string;
  readonly certificate: string;
  /** The certificate as a file, as clients take one of their authority. */
  readonly file: string;
  remove(): void;
}

/** Node can't make certificates. */
export const hasOpenssl = (): boolean => spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;

/** @throws Error where there is no openssl, or it fails */
export function makeCertificate(): TestCertificate {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-tls-'));
  const [keyFile, file] = [join(directory, 'node.key'), join(directory, 'node.crt')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = spawnSync('openssl', ['req', '-x509', ...curve, ...names, '-days', '1', '-keyout', keyFile, '-out', file]);
  if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.stderr.toString()}`);
  return {
    key: readFileSync(keyFile, 'utf8'),
    certificate: readFileSync(file, 'utf8'),
    file,
    remove: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
