import { overMongo } from '@counterfoil/testing';
import { distributedRun } from './distributed/run.js';

// `npm run distributed` with few calls. The proxies speak to one plain server.
overMongo('calls through two servers while projectors are killed and connections break', ['A'], (server) => {
  it('are recorded once each, and the read models end as their streams say', async () => {
    const said: string[] = [];
    const options = { mongoUrl: server.url, calls: 600, sessions: 12, atOnce: 16, seconds: 30 };
    const { faults, figures } = await distributedRun({ ...options, say: (line) => said.push(line) });
    expect([faults.slice(0, 5), faults.length === 0 ? [] : said]).toEqual([[], []]);
    // Each session was opened, and each call requested, dispatched and reported.
    const calls = Number(figures['calls']);
    expect(calls).toBeGreaterThanOrEqual(600);
    expect(figures).toMatchObject({ 'acknowledged commands': 12 + 3 * calls, 'events in the sessions': 12 + 3 * calls });
    const broken = Object.entries(figures).filter(([what]) => what.startsWith('connections broken'));
    expect(broken.map(([, times]) => Number(times) > 0)).toEqual([true, true, true, true]);
  }, 300_000);
});
