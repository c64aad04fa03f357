import { runProgram } from './index.js';

const [, , how = ''] = process.argv;
const keepAlive = setInterval(() => undefined, 1000);

const end = (part: string) => (): Promise<void> => {
  process.stdout.write(`${part} ended\n`);
  return how === 'bad-end' && part === 'second' ? Promise.reject(new Error('could not close')) : Promise.resolve();
};

/** A program that does as it is told by its argument; its spec runs it. */
runProgram((begun) => {
  if (how === 'coded') return Promise.reject(Object.assign(new Error('a sentence for people'), { code: 'keys_missing' }));
  if (how === 'fault') return Promise.reject(new Error('a fault of ours'));
  begun(() => {
    if (how !== 'alive') clearInterval(keepAlive);
    return end('first')();
  });
  begun(end('second'));
  if (how === 'halfway' || how === 'alive') return Promise.reject(Object.assign(new Error('the port is taken'), { code: 'EADDRINUSE' }));
  process.stdout.write('started\n');
  return Promise.resolve();
});
if (how === 'coded' || how === 'fault') clearInterval(keepAlive);
