// Asks this container's process how it is: node docker/healthcheck.mjs live|ready. Exit code 0 when it answers 200.
import { get } from 'node:http';

const port = process.env.COUNTERFOIL_PORT || '4810';
const request = get({ host: '127.0.0.1', port, path: `/health/${process.argv[2] ?? 'live'}`, timeout: 4000 }, (response) => {
  response.resume();
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
request.on('timeout', () => request.destroy(new Error('no answer in time')));
request.on('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
