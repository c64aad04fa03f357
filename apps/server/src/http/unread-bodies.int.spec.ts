import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type AddressInfo, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { continueSending, endAfterEarlyAnswer, holdBack, limitBodyTime } from './unread-bodies.js';

const LIMIT_MS = 100;

let app: FastifyInstance;
const clients: Socket[] = [];
let over: number;

beforeEach(async () => {
  over = 0;
  app = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('whole/body', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addContentTypeParser('no/body', (_request, payload, done) => {
    done(null, payload);
  });
  holdBack(app.server);
  app.addHook('onRequest', async (request, reply) => {
    limitBodyTime(request, reply, LIMIT_MS, (socket) => {
      over++;
      socket.destroy();
    });
    if (request.url === '/refused') await reply.status(403).send('refused');
  });
  app.addHook('preParsing', (request, reply, _payload, done) => {
    continueSending(request, reply);
    done();
  });
  app.addHook('onSend', async (request, reply, payload) => {
    endAfterEarlyAnswer(request, reply);
    return Promise.resolve(payload);
  });
  app.post('/*', async (request) => {
    if (request.url === '/slow') await sleep(2 * LIMIT_MS);
    return 'taken';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await app.close();
});

async function sending(path: string, type: string, more = 'content-length: 1000000'): Promise<Socket> {
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client);
  await once(client, 'connect');
  client.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${more}\r\n\r\n`);
  return client;
}

async function untilEnd(client: Socket): Promise<string> {
  let text = '';
  client.on('data', (data: Buffer) => (text += data.toString()));
  await once(client, 'close');
  return text;
}

it('a client that is refused gets to read it, though it goes on sending, and then has no connection', async () => {
  const client = await sending('/refused', 'whole/body');
  const answer = untilEnd(client);
  const pump = setInterval(() => client.write('x'.repeat(1000)), 5);
  client.on('error', () => undefined);
  const text = await answer;
  clearInterval(pump);
  expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden[^]*connection: close[^]*refused$/);
});

it('the connection of a client that was answered early ends as soon as all that it sends has come', async () => {
  const client = await sending('/refused', 'whole/body', 'content-length: 10');
  const answer = untilEnd(client);
  await once(client, 'data');
  client.write('0123456789');
  expect(await answer).toContain('connection: close');
});

it('a body that was read as a whole, and a request without one, keep their connection', async () => {
  const client = await sending('/', 'whole/body', 'content-length: 2');
  client.write('ab');
  expect(String((await once(client, 'data'))[0])).toMatch(/connection: keep-alive[^]*taken$/i);
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  expect(String((await once(client, 'data'))[0])).toMatch(/connection: keep-alive[^]*taken$/i);
});

it('an answer to a body that nobody reads ends the connection', async () => {
  const client = await sending('/', 'no/body');
  expect(await untilEnd(client)).toMatch(/connection: close[^]*taken$/);
});

it('a body that takes too long ends its request', async () => {
  const client = await sending('/', 'whole/body');
  client.on('error', () => undefined);
  client.write('x');
  await once(client, 'close');
  expect(over).toBe(1);
});

it('a body that came in time is left alone, however long its answer takes', async () => {
  const client = await sending('/slow', 'whole/body', 'content-length: 2');
  client.write('ab');
  expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK[^]*taken$/);
  expect([over, client.destroyed]).toEqual([0, false]);
});

describe('a client that asks before it sends', () => {
  const ASKS = 'expect: 100-continue\r\ncontent-length: 2';

  it('is told to where its request is taken', async () => {
    const client = await sending('/', 'whole/body', ASKS);
    expect(String((await once(client, 'data'))[0])).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.write('ab');
    expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK[^]*taken$/);
  });

  it('is told nothing but the refusal where it is refused', async () => {
    const client = await sending('/refused', 'whole/body', ASKS);
    expect(await untilEnd(client)).toMatch(/^HTTP\/1\.1 403 Forbidden/);
  });
});
