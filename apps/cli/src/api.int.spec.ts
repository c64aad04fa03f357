import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { api, apiSettings } from './api.js';
import { CliError } from './cli-error.js';
import { dropEmptyVariables } from './environment.js';

const KEY = 'FAKE-key';

/** What a command would be told; fails when nothing was thrown. */
async function refusal(work: () => unknown): Promise<CliError> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(CliError);
    return error as CliError;
  }
  throw new Error('it was not refused');
}

describe('an address that holds a password', () => {
  it.each([
    'http://admin:FAKEpassword@127.0.0.1:1',
    'http://FAKEpassword@127.0.0.1:1',
    'ftp://admin:FAKEpassword@host/x',
    'FAKEpassword',
    'http://admin:FAKEpassword@[',
  ])('is refused, and never printed: %s', async (url) => {
    const { message, exitCode } = await refusal(() => apiSettings({ COUNTERFOIL_URL: url, COUNTERFOIL_API_KEY: KEY }));
    expect([exitCode, message]).toEqual([2, expect.stringContaining('COUNTERFOIL_URL')]);
    expect(message).not.toContain('FAKE');
    expect(message).not.toContain('admin');
  });

  it('in its query is not printed when nobody answers there', async () => {
    const settings = apiSettings({ COUNTERFOIL_URL: 'http://127.0.0.1:1/?token=FAKEtoken', COUNTERFOIL_API_KEY: KEY });
    const { message } = await refusal(() => api(settings, 'GET', '/v1/receipts'));
    expect(message).toContain('No ledger answers at http://127.0.0.1:1:');
    expect(message).not.toContain('FAKE');
  });
});

describe('empty variables', () => {
  it('count as unset, and those of other programs are left alone', () => {
    const environment = {
      COUNTERFOIL_URL: '',
      COUNTERFOIL_PORT: '5999',
      COUNTERFOIL_KEYS: '',
      COUNTERFOIL_STREAM_PREFIX: '',
      COUNTERFOIL_API_KEY: KEY,
      NO_COLOR: '',
    };
    dropEmptyVariables(environment);
    expect(environment).toEqual({ COUNTERFOIL_PORT: '5999', COUNTERFOIL_API_KEY: KEY, NO_COLOR: '' });
    expect(apiSettings(environment)).toEqual({ url: 'http://127.0.0.1:5999', key: KEY });
  });
});

describe('what is no server of ours', () => {
  let server: Server | null = null;

  async function answering(answer: RequestListener): Promise<ReturnType<typeof apiSettings>> {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, key: KEY };
  }
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
  });

  it.each([
    ['a page', 200, '<html>hello</html>'],
    ['nothing', 200, ''],
    ['a text', 200, '"hello"'],
    ['another program’s refusal', 404, '{"message":"Route GET:/v1/receipts not found","error":"Not Found","statusCode":404}'],
    ['a proxy’s error', 502, 'Bad Gateway'],
  ])('and answers %s is said to be none, in a sentence', async (_what, status, body) => {
    const settings = await answering((_request, response) => {
      response.writeHead(status).end(body);
    });
    const { message, exitCode } = await refusal(() => api(settings, 'GET', '/v1/receipts'));
    expect([exitCode, message]).toEqual([1, expect.stringContaining('is no server of Counterfoil')]);
    expect(message).toContain(String(status));
  });

  it('a problem of ours is told in its own words', async () => {
    const settings = await answering((_request, response) => {
      response.writeHead(404).end('{"code":"not_found","detail":"There is no such receipt.","advice":"Look again."}');
    });
    expect((await refusal(() => api(settings, 'GET', '/v1/receipts/x'))).message).toBe('not_found: There is no such receipt. Look again.');
  });
});
