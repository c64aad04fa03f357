import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Upload } from './upload.js';

let server: Server;
let client: Socket;
let request: IncomingMessage;
let response: ServerResponse;

const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const END = '0\r\n\r\n';

beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const asked = once(server, 'request');
  client.write(HEAD);
  [request, response] = (await asked) as [IncomingMessage, ServerResponse];
});

afterEach(() => {
  client.destroy();
  server.close();
  server.closeAllConnections();
});

const uploadOf = (idleMs = 60_000, signal = new AbortController().signal): Upload => new Upload(request, { idleMs, signal });

async function textOf(upload: Upload): Promise<string> {
  let text = '';
  for await (const chunk of upload) text += Buffer.from(chunk).toString();
  return text;
}

it('hands on what comes, to its end', async () => {
  const upload = uploadOf();
  const text = textOf(upload);
  client.write(chunked('one '));
  client.write(chunked('two '));
  client.write(chunked('three') + END);
  expect(await text).toBe('one two three');
  expect(upload.signal.aborted).toBe(false);
});

it('hands on what came before it was asked', async () => {
  client.write(chunked('all of it') + END);
  await once(request, 'readable');
  expect(await textOf(uploadOf())).toBe('all of it');
});

it('ends when the client goes away, and says so', async () => {
  const upload = uploadOf();
  const text = textOf(upload);
  client.write(chunked('half'));
  setTimeout(() => client.destroy(), 20);
  expect(await text).toBe('half');
  expect(upload.signal.aborted).toBe(true);
});

it('ends when the client went away while nobody read', async () => {
  const upload = uploadOf();
  client.write(chunked('half'));
  await once(request, 'readable');
  client.destroy();
  await new Promise((resolve) => request.once('close', resolve));
  expect(upload.signal.aborted).toBe(true);
  expect(await textOf(upload)).toBe('');
});

it('ends when nothing comes for long, and the request can still be answered', async () => {
  const upload = uploadOf(30);
  client.write(chunked('half'));
  expect(await textOf(upload)).toBe('half');
  expect(upload.signal.aborted).toBe(true);
  const answer = once(client, 'data');
  response.writeHead(200, { connection: 'close' }).end('heard');
  expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 200 OK[^]*heard/);
});

it('time that the reader takes is not counted', async () => {
  const upload = uploadOf(30);
  client.write(chunked('one') + chunked('two') + END);
  let text = '';
  for await (const chunk of upload) {
    text += Buffer.from(chunk).toString();
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect([text, upload.signal.aborted]).toEqual(['onetwo', false]);
});

it('ends when our side stops it, also while it waits', async () => {
  const stop = new AbortController();
  const upload = uploadOf(60_000, stop.signal);
  const text = textOf(upload);
  client.write(chunked('half'));
  setTimeout(() => {
    stop.abort();
  }, 20);
  expect(await text).toBe('half');
  expect(upload.signal.aborted).toBe(true);
  expect(request.destroyed).toBe(false);
});

it('is read no faster than it is taken', async () => {
  const upload = uploadOf();
  const megabyte = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 16; n++) client.write(chunked(megabyte));
  const reader = upload[Symbol.asyncIterator]();
  await reader.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  // What the kernel and Node's stream hold is far below what was sent.
  expect(request.readableLength).toBeLessThan(1024 * 1024);
  expect(client.writableLength).toBeGreaterThan(1024 * 1024);
});

it('leaves no listener behind for each piece', async () => {
  const upload = uploadOf();
  const before = NAMES.map((name) => request.listenerCount(name));
  const text = textOf(upload);
  for (let n = 0; n < 30; n++) {
    client.write(chunked(`${String(n)} `));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  client.write(END);
  await text;
  expect(NAMES.map((name) => request.listenerCount(name))).toEqual(before);
});

const NAMES = ['readable', 'end', 'error'];
