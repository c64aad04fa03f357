import { spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

it('the driver is loaded only by who opens a MongoDB: embedded mode needs none', () => {
  const program = `
    import { createRequire } from 'node:module';
    import * as lib from './libs/read-models/src/index.ts';
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => /node_modules.mongodb./.test(file));
    const before = loaded();
    await lib.openMongoDocumentStore({ url: 'nowhere' }).catch(() => undefined);
    process.stdout.write(JSON.stringify({ before, after: loaded() }));
  `;
  const child = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(child.stdout === '' ? child.stderr : JSON.parse(child.stdout)).toEqual({ before: false, after: true });
});
