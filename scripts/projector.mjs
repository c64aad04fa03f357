// `npm run projector`: the projections alone, in the foreground; any number of them beside the servers of a distributed ledger.
// package.json starts it as it starts the server, so that signals arrive. Settings come by environment variables, never by arguments.
import { launch } from './support/launch.mjs';
import { runMain } from './support/process.mjs';

await runMain(() => launch('projector'));
