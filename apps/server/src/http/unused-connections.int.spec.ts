import { createServer, get, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { trackUnused } from './unused-connections.js';

let server: Server;
let endUnused: () => void;
const sockets: Socket[] = [];

async function connected(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  const accepted = once(server, 'connection');
  await once(socket, 'connect');
  await accepted;
  return socket;
}

beforeEach(async () => {
  server = createServer();
  endUnused = trackUnused(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
});

it('a client that only connected does not hold up the end of the server', async () => {
  const socket = await connected();
  const closed = once(server, 'close');
  server.close();
  endUnused();
  await Promise.all([closed, once(socket, 'close')]);
});

it('a request under way is answered', async () => {
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request');
  const answered = new Promise<number | undefined>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
  const [, response] = (await asked) as [unknown, { writeHead(status: number): { end(): void } }];
  endUnused();
  response.writeHead(204).end();
  expect(await answered).toBe(204);
});

it('who connects afterwards is sent away', async () => {
  endUnused();
  await once(await connected(), 'close');
});
