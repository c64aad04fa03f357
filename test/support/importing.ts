import type { Role } from '@counterfoil/contracts';
import { Http } from '../demo/agent.js';
import { startLedger, type RunningLedger } from './running-ledger.js';
import type { UploadAnswer } from './upload.js';

export interface ImportAnswer {
  readonly importRun: string;
  readonly state: string;
  readonly totals: Readonly<Record<'read' | 'imported' | 'duplicate' | 'notAReceipt' | 'quarantined', number>>;
  readonly added: Readonly<Record<string, number>>;
  readonly reasons: Readonly<Record<string, number>>;
  readonly eventsAdded: number;
  readonly position: string;
  readonly error: { readonly code: string } | null;
}

type Body = string | Uint8Array;

/** A running ledger with somebody who imports into it. */
export class Importing {
  private next = 0;

  private constructor(
    readonly running: RunningLedger,
    readonly key: string,
    readonly importer: Http,
    readonly auditor: Http,
  ) {}

  static async start(bodyLimitBytes: number): Promise<Importing> {
    const running = await startLedger({ bodyLimitBytes });
    const body = { principal: 'person:importer', roles: ['importer'] };
    const { secret } = await running.admin.call<{ secret: string }>('POST', '/v1/keys', body);
    return new Importing(running, secret, new Http(running.url, secret), await running.client('person:auditor', ['auditor']));
  }

  /** The first of so many old receipts that nobody has sent yet. */
  fresh(count: number): number {
    this.next += count;
    return this.next - count;
  }

  async keyOf(principal: string, roles: readonly Role[], more: object = {}): Promise<string> {
    return (await this.running.admin.call<{ secret: string }>('POST', '/v1/keys', { principal, roles, ...more })).secret;
  }

  /** Sends a body as it is; refusals are answers like others. */
  async post(body: Body, query = '', headers: Record<string, string> = {}): Promise<UploadAnswer> {
    const response = await fetch(new URL(`/v1/imports${query}`, this.running.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/x-ndjson', ...headers },
      body: Buffer.from(body),
    });
    const connection = response.headers.get('connection') ?? undefined;
    return { status: response.status, connection, body: (await response.json()) as Record<string, unknown> };
  }

  /** The same where it must be taken. */
  async imported(body: Body, query = '', headers: Record<string, string> = {}): Promise<ImportAnswer> {
    const answer = await this.post(body, query, headers);
    expect([answer.status, answer.body]).toEqual([answer.body['eventsAdded'] === 0 ? 200 : 201, answer.body]);
    return answer.body as unknown as ImportAnswer;
  }

  view(run: string): Promise<ImportAnswer> {
    return this.importer.call<ImportAnswer>('GET', `/v1/imports/${run}`);
  }

  /** Waits until an import is so. */
  async until(run: string, isSo: (view: ImportAnswer) => boolean): Promise<ImportAnswer> {
    for (;;) {
      const { status, body } = await this.importer.raw('GET', `/v1/imports/${run}`);
      if (status === 200 && isSo(body as ImportAnswer)) return body as ImportAnswer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
