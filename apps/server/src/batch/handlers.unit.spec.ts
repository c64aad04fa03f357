import { DomainError, type AccessScope } from '@counterfoil/contracts';
import { BatchCommand } from './commands.js';
import { BatchHandler } from './handlers.js';

const scope: AccessScope = { keyId: 'k', principal: 'agent:a', workspaceId: 'w', userId: 'u', roles: ['agent'] };
const origin = { actor: { principal: 'agent:a', keyId: 'k' }, roles: [], occurredAt: null, correlationId: 'corr-1', traceparent: null };
const heartbeat = { do: 'heartbeat', receiptId: `rcp_${'0'.repeat(22)}`, body: { attempt: '7f0c2b80-5f4d-4b39-9a53-2b6f3f1f5b11' } };

type Ports = ConstructorParameters<typeof BatchHandler>;

/** A batch of so many heartbeats, over commands that end as told, one after another. */
async function run(ends: readonly (Error | null)[]): Promise<{ codes: readonly unknown[]; tried: number; logged: readonly unknown[] }> {
  let tried = 0;
  const logged: unknown[] = [];
  const commands = {
    execute: () => {
      const end = ends[tried++] ?? null;
      return end === null ? Promise.resolve({ call: {}, next: 'wait' }) : Promise.reject(end);
    },
  } as unknown as Ports[0];
  const desk = { requireOwn: () => Promise.resolve() } as unknown as Ports[1];
  const silent = (): void => undefined;
  const logger = { error: (_message: string, fields: unknown) => logged.push(fields), info: silent, debug: silent };
  const batch = new BatchCommand(scope, origin, 's', { items: ends.map(() => heartbeat) });
  const { answers } = await new BatchHandler(commands, desk, logger).execute(batch);
  const codes = answers.map(({ status, body }) => (status < 400 ? status : [status, (body as { code: string }).code]));
  return { codes, tried, logged };
}

describe('a batch in which an item gets no answer', () => {
  it.each([
    ['store_unavailable', new DomainError('store_unavailable', 'away'), 503, 'store_unavailable'],
    ['outcome_unknown', new DomainError('outcome_unknown', 'who knows'), 503, 'outcome_unknown'],
    ['a fault of ours', new Error('FAKEdetail'), 500, 'internal'],
  ])('(%s) tries none of those after it', async (_name, error, status, code) => {
    const { codes, tried, logged } = await run([null, error, null, null]);
    expect(codes).toEqual([200, [status, code], [503, 'batch_stopped'], [503, 'batch_stopped']]);
    expect(tried).toBe(2);
    expect(logged).toMatchObject([{ correlationId: 'corr-1', code }]);
  });

  it('goes on after a refusal', async () => {
    const refusal = new DomainError('attempt_mismatch', 'another');
    expect(await run([refusal, null, refusal])).toMatchObject({
      codes: [[409, 'attempt_mismatch'], 200, [409, 'attempt_mismatch']],
      tried: 3,
    });
  });
});
