import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventStreamResponse } from './event-stream-response.js';

const NEVER = new AbortController().signal;
const CHUNK = `${'x'.repeat(64 * 1024 - 1)}\n`;

let server: Server;

beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** One answer of the server, and the client that asked for it: it takes nothing until it is told to. */
async function asked(): Promise<{ raw: ServerResponse; client: () => Promise<IncomingMessage>; leave: () => void }> {
  const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  request.on('error', () => undefined);
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  const [, raw] = await requested;
  return { raw, client: async () => (await answered)[0], leave: () => request.destroy() };
}

/** Writes for as long as the client takes it, and gives the write that it does not. */
async function writeUntilFull(response: EventStreamResponse, signal: AbortSignal): Promise<{ writing: Promise<void> }> {
  for (;;) {
    const writing = response.write(CHUNK, signal);
    const taken = await Promise.race([writing.then(() => true), new Promise((resolve) => setTimeout(resolve, 5, false))]);
    if (taken === false) return { writing };
  }
}

it('holds little for a client that takes nothing, and goes on when it does', async () => {
  const { raw, client } = await asked();
  const response = new EventStreamResponse(raw);
  response.open({});
  const { writing } = await writeUntilFull(response, NEVER);
  expect(raw.writableLength).toBeLessThan(200 * 1024);
  const message = await client();
  message.resume();
  await writing;
  const ended = once(message, 'end');
  response.end();
  await ended;
});

it('a wait for a client ends with the signal, and the end does not wait for it', async () => {
  const { raw, client } = await asked();
  const response = new EventStreamResponse(raw);
  response.open({});
  const stop = new AbortController();
  const { writing } = await writeUntilFull(response, stop.signal);
  stop.abort();
  await writing;
  await response.write('nothing more', stop.signal);
  response.end();
  expect(raw.destroyed).toBe(true);
  (await client()).destroy();
});

it('says when the client has gone, also one that was gone before', async () => {
  const { raw, leave } = await asked();
  const response = new EventStreamResponse(raw);
  leave();
  await once(response.gone, 'abort');
  response.end();
  expect(new EventStreamResponse(raw).gone.aborted).toBe(true);
});

it('a write to a client that has gone is no fault', async () => {
  const { raw, leave } = await asked();
  const response = new EventStreamResponse(raw);
  response.open({});
  leave();
  await once(response.gone, 'abort');
  await response.write(CHUNK, response.gone);
  raw.write(CHUNK);
  await new Promise((resolve) => setImmediate(resolve));
});
