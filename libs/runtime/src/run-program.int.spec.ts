import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('program.child.ts', import.meta.url));

/** @param signals sent one after the other when the program has started */
async function ran(
  how: string,
  ...signals: NodeJS.Signals[]
): Promise<{ readonly code: unknown; readonly output: string; readonly errors: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, how], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output === 'started\n') for (const signal of signals) child.kill(signal);
  });
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, output, errors };
}

describe('a program', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stops once at %s, and ends with 0',
    async (signal) => {
      expect(await ran('well', signal, signal)).toEqual({ code: 0, output: 'started\nsecond ended\nfirst ended\n', errors: '' });
    },
    60_000,
  );

  it('that can not start says why in one sentence, with the code to look it up by, and ends with 1', async () => {
    expect(await ran('coded')).toEqual({ code: 1, output: '', errors: 'counterfoil: keys_missing: a sentence for people\n' });
  }, 60_000);

  it('that meets a fault of its own shows where', async () => {
    const { code, errors } = await ran('fault');
    expect(code).toBe(1);
    expect(errors).toMatch(/^counterfoil: Error: a fault of ours\n {4}at /);
  }, 60_000);

  it('whose start fails halfway ends what had begun, the last first, and itself with 1', async () => {
    const output = 'second ended\nfirst ended\n';
    expect(await ran('halfway')).toEqual({ code: 1, output, errors: 'counterfoil: the port is taken\n' });
  }, 60_000);

  it('whose start failed does not hang, whatever keeps it alive', async () => {
    expect(await ran('alive')).toMatchObject({ code: 1, errors: 'counterfoil: the port is taken\n' });
  }, 60_000);

  it('that can not close what was open closes the rest, and ends with 1', async () => {
    expect(await ran('bad-end', 'SIGTERM')).toMatchObject({ code: 1, output: 'started\nsecond ended\nfirst ended\n' });
  }, 60_000);
});
