// `npm start`: the ledger, in the foreground.
// package.json starts it by `exec`, so that npm's shell gives way to it and every signal that npm passes on arrives here; the second
// half of that line is for the shell of Windows, which has no `exec`. Settings come by environment variables, never by arguments.
import { launch } from './support/launch.mjs';
import { runMain } from './support/process.mjs';

await runMain(() => launch('server'));
