import { pathToFileURL } from 'node:url';
import { bootstrap } from '../bootstrap.mjs';
import { build, entryOf } from '../build.mjs';

/**
 * Installs and builds what is missing, then becomes the app: it is loaded into this process, so that signals, the terminal and
 * the exit code are the app's own, and nothing is left behind when this process is killed.
 * @param {string} app as named in nest-cli.json
 */
export async function launch(app) {
  await bootstrap();
  await build();
  process.argv[1] = entryOf(app);
  await import(pathToFileURL(entryOf(app)).href);
}
