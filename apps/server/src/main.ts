import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_KEY_FILE, makeFirstKey, namingSettings, openLedger, readSettings, shownLocation, type Settings } from '@counterfoil/ledger';
import { createLogger, runProgram } from '@counterfoil/runtime';
import { startServer } from './server.js';

runProgram((begun) =>
  namingSettings(async () => {
    const settings = readSettings(process.env);
    const logger = createLogger(settings.log);
    const onFault = (error: unknown): void => {
      logger.error('background work met a fault and goes on', { error });
    };
    const ledger = await openLedger(settings, { createKeys: true, onFault });
    begun(() => ledger.close());
    const adminKeyFile = await makeFirstKey(ledger.access, settings.keysDirectory);
    const server = await startServer(ledger, settings, logger);
    begun(() => server.stop());
    process.stdout.write(welcome(server.url, settings, adminKeyFile));
  }),
);

function welcome(url: string, settings: Settings, adminKeyFile: string | null): string {
  const file = join(settings.keysDirectory, ADMIN_KEY_FILE);
  const key = adminKeyFile ?? (existsSync(file) ? file : 'made before, and not kept here');
  return [
    '',
    `  Counterfoil is running at ${url}`,
    `  Ledger:          ${shownLocation(settings.events)}`,
    `  First admin key: ${key}${adminKeyFile === null ? '' : ' (made now, mode 0600)'}`,
    '',
    '  Next, in another terminal:  npm run demo',
    '',
    '',
  ].join('\n');
}
