import { runProgram } from './index.js';

const [, , how = ''] = process.argv;
const keepAlive = setInterval(() => undefined, 1000);

/** A program that does as it is told by its argument; its spec runs it. */
runProgram(() => {
  if (how === 'coded') return Promise.reject(Object.assign(new Error('a sentence for people'), { code: 'keys_missing' }));
  if (how === 'fault') return Promise.reject(new Error('a fault of ours'));
  process.stdout.write('started\n');
  return Promise.resolve({
    stop: () => {
      clearInterval(keepAlive);
      process.stdout.write('stopped\n');
      return how === 'bad-end' ? Promise.reject(new Error('could not close')) : Promise.resolve();
    },
  });
});
if (how === 'coded' || how === 'fault') clearInterval(keepAlive);
