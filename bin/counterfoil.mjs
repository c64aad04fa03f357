#!/usr/bin/env node
// The `counterfoil` command. In a fresh clone it installs and builds first; what that prints goes to stderr.
import { launch } from '../scripts/support/launch.mjs';
import { runMain } from '../scripts/support/process.mjs';

await runMain(() => launch('cli'));
