/**
 * `npm run bench`: figures as ratios within one run, each with its reference beside it (design §9). `--short` runs a tenth;
 * `--only commands|replay|http|growth|imports` one part. No figure here fails a build.
 */
import { benchCommands } from './commands.js';
import { benchGrowth } from './growth.js';
import { benchHttp } from './http.js';
import { benchImports } from './imports.js';
import { benchReplay } from './replay.js';

const scale = process.argv.includes('--short') ? 0.1 : 1;
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const parts: Readonly<Record<string, () => Promise<void>>> = {
  commands: () => benchCommands(say, 100 * scale),
  replay: () => benchReplay(say, 100_000 * scale),
  http: () => benchHttp(say, 5000 * scale),
  growth: () => benchGrowth(say, 50_000 * scale),
  imports: () => benchImports(say, scale),
};

for (const [name, part] of Object.entries(parts)) if (only === undefined || only === name) await part();
