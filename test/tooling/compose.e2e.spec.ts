import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { readSettings } from '@counterfoil/ledger';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** Comes with jest, and has no types. */
const yaml = createRequire(import.meta.url)('js-yaml') as { load(text: string): unknown };

interface Service {
  readonly image?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly profiles?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly volumes?: readonly (string | { readonly type: string; readonly source: string; readonly read_only?: boolean })[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string; readonly required?: boolean }>>;
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, unknown>> } };
  readonly extends?: { readonly file?: string; readonly service: string };
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

const load = (file: string): Compose => yaml.load(read(file)) as Compose;

/** A service with what it extends: mappings of variables are joined, everything else is replaced. */
function resolved(file: string, service: Service): Service {
  if (service.extends === undefined) return service;
  const from = service.extends.file === undefined ? file : path.posix.join(path.posix.dirname(file), service.extends.file);
  const found = load(from).services[service.extends.service];
  if (found === undefined) throw new Error(`${from} has no service ${service.extends.service}`);
  const base = resolved(from, found);
  return {
    ...base,
    ...service,
    environment: { ...base.environment, ...service.environment },
    healthcheck: { ...base.healthcheck, ...service.healthcheck },
  };
}

/** The name of a volume; null for a file or folder of the host. */
function sourceOf(volume: NonNullable<Service['volumes']>[number]): string | null {
  if (typeof volume === 'string') return volume.split(':')[0] ?? null;
  return volume.type === 'volume' ? volume.source : null;
}

const FILES = ['docker-compose.yml', 'docker/production.yml'];
const services = FILES.flatMap((file) =>
  Object.entries(load(file).services).map(([name, service]) => ({ file, name, service: resolved(file, service) })),
);
const settingsOf = (among: typeof services, name: string): Service['environment'] =>
  among.find((one) => one.name === name)?.service.environment;
const isOnce = (service: Service): boolean => service.restart === 'no';
const isOurs = (service: Service): boolean => service.image?.startsWith('counterfoil:') === true;
const variablesIn = (text: string): string[] => [...text.matchAll(/\$\{[^}]*\}/g)].map(([variable]) => variable);
const withoutComments = (file: string): string => read(file).replaceAll(/^\s*#.*$/gm, '');

describe('the settings of our services', () => {
  /** As Compose fills variables in that nobody has set, or that must be set. */
  const filled = (text: string): string =>
    text.replaceAll(/\$\{[^}]*?(?::([-?])([^}]*))?\}/g, (_, kind: string, rest: string) => (kind === '-' ? rest : 'FAKEvalue'));

  it.each(services.filter(({ service }) => isOurs(service)).map((one) => [`${one.file} ${one.name}`, one.service] as const))(
    'are ones that the programs take: %s',
    (_, service) => {
      const given = Object.entries(service.environment ?? {}).map(([name, value]) => [name, filled(value ?? '')]);
      const { events, readModels } = readSettings(Object.fromEntries(given) as Record<string, string>);
      if (isOnce(service)) return;
      expect(events.kind).toBe('eventstoredb');
      expect(readModels.kind).toBe('mongodb');
    },
  );
});

describe.each(FILES)('the services of %s', (file) => {
  const mine = services.filter((one) => one.file === file);
  const { networks = {}, volumes = {} } = load(file);

  it('are of pinned images, and ours of that of this version', () => {
    const { version } = JSON.parse(read('package.json')) as { readonly version: string };
    for (const { service } of mine) {
      expect(service.image).toMatch(/^[a-z]+(\/[a-z]+)?:[0-9]+\.[0-9]+\.[0-9]+(-[a-z-]+)?$/);
      if (isOurs(service)) expect(service.image).toBe(`counterfoil:${version}`);
    }
  });

  it.each(mine)('$name runs as somebody who can write and do as little as possible, within bounds, and says how it is', ({ service }) => {
    expect(service.user).toMatch(/^[1-9][0-9]*:[1-9][0-9]*$/);
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toContain('no-new-privileges:true');
    expect(Object.keys(service.deploy?.resources.limits ?? {}).sort()).toEqual(['cpus', 'memory', 'pids']);
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    // What ends has no health.
    expect(service.healthcheck?.disable === true).toBe(isOnce(service));
    expect(service.healthcheck?.test === undefined).toBe(isOnce(service));
  });

  it('wait for services that there are, and for those that end until they have', () => {
    for (const { name, service } of mine) {
      for (const [other, { condition, required = true }] of Object.entries(service.depends_on ?? {})) {
        const found = mine.find((one) => one.name === other)?.service;
        const due = found === undefined ? 'none' : isOnce(found) ? 'service_completed_successfully' : 'service_healthy';
        const isThere = found?.profiles === undefined || found.profiles === service.profiles;
        expect({ name, other, condition, required }).toEqual({ name, other, condition: due, required: isThere });
      }
    }
  });

  it('use the volumes and networks that are declared, and leave none unused', () => {
    const used = mine.flatMap(({ service }) => (service.volumes ?? []).map(sourceOf).filter((source) => source !== null));
    expect(new Set(used)).toEqual(new Set(Object.keys(volumes)));
    expect(new Set(mine.flatMap(({ service }) => service.networks ?? []))).toEqual(new Set(Object.keys(networks)));
  });

  it('have no setting of ours that the ledger does not know, and run programs that there are', () => {
    const known = new Set(read('libs/ledger/src/settings.ts').match(/COUNTERFOIL_[A-Z_]+/g));
    for (const { name, service } of mine.filter((one) => isOurs(one.service))) {
      const given = Object.keys(service.environment ?? {}).filter((variable) => variable.startsWith('COUNTERFOIL_'));
      expect({ name, given: given.filter((variable) => !known.has(variable)) }).toEqual({ name, given: [] });
      const [program = 'dist/apps/server/src/main.js'] = service.command ?? [];
      const source = program.replace(/^dist\/(.*)\.js$/, '$1.ts');
      expect({ name, source, isThere: existsSync(path.join(ROOT, source)) }).toEqual({ name, source, isThere: true });
    }
  });

  it('are two servers and two projectors, over the same stores and keys', () => {
    const [first, ...others] = ['server-1', 'server-2', 'projector-1', 'projector-2'].map((name) => settingsOf(mine, name));
    expect(first?.['COUNTERFOIL_EVENTS']).toMatch(/^(\$\{EVENTSTORE_URL:-)?esdb:/);
    expect(first?.['COUNTERFOIL_READ_MODELS']).toMatch(/^(\$\{MONGO_URL:-)?mongodb:/);
    for (const other of others) expect(other).toEqual(first);
    for (const name of ['server-1', 'server-2', 'projector-1', 'projector-2', 'keys'])
      expect(mine.find((one) => one.name === name)?.service.volumes?.map(sourceOf)).toContain('keys');
  });
});

describe('the compose files', () => {
  it('need no variable in development, and work with those of docker/cluster.env', () => {
    const variables = variablesIn(withoutComments('docker-compose.yml'));
    for (const variable of variables) expect(variable).toMatch(/^\$\{[A-Z0-9_]+:-[^}]+\}$/);
    const names = new Set(variables.map((variable) => variable.replace(/^\$\{([A-Z0-9_]+).*$/s, '$1')).concat('EVENTSTORE_GOSSIP_SEED'));
    const given = [...read('docker/cluster.env').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name ?? '');
    expect(given.filter((name) => !names.has(name))).toEqual(['COMPOSE_PROJECT_NAME', 'COMPOSE_PROFILES']);
    const profiles = services.flatMap(({ service }) => service.profiles ?? []);
    expect(new Set(profiles)).toEqual(new Set(['cluster']));
  });

  it('demand every variable in production, and hold no password', () => {
    const text = withoutComments('docker/production.yml');
    for (const variable of variablesIn(text)) expect(variable).toMatch(/^\$\{[A-Z0-9_]+:\?[^}]*\}$/);
    for (const [, value] of text.matchAll(/PASSWORD: (.*)$/gm)) expect(value).toMatch(/^\$\{[A-Z0-9_]+:\?[^}]*\}$/);
    expect(text).not.toMatch(/changeit|:\/\/[^$\s/]*:[^$\s/]*@/);
  });

  it('encrypt in production, and let nobody but ours reach the stores', () => {
    const text = withoutComments('docker/production.yml');
    expect(text).not.toMatch(/INSECURE|tls=false|tlsAllowInvalid|http:\/\//);
    for (const url of text.match(/(esdb|mongodb):\/\/.+/g) ?? []) expect(url).toContain('tls=true&tlsCAFile=/certs/ca/ca.crt');
    expect(load('docker/production.yml').networks?.['stores']).toEqual({ internal: true });
    const inProduction = services.filter(({ file }) => file === 'docker/production.yml');
    const open = inProduction.filter(({ service }) => service.ports !== undefined || service.networks?.includes('front') === true);
    expect(open.map(({ name }) => name)).toEqual(['server-1', 'server-2']);
  });

  const hasCompose = spawnSync('sh', ['-c', 'docker compose version'], { stdio: 'ignore' }).status === 0;
  const config = (args: string, env: Readonly<Record<string, string>> = {}): { readonly code: number | null; readonly errors: string } => {
    // Whatever is set here must not stand in for what a file lacks.
    const inherited = Object.entries(process.env).filter(([name]) => !/^(EVENTSTORE|MONGO|SECRETS|SERVER|COMPOSE)_/.test(name));
    const { status, stderr } = spawnSync('sh', ['-c', `docker compose ${args} config --quiet`], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...Object.fromEntries(inherited), ...env },
    });
    return { code: status, errors: stderr };
  };
  const FAKES = {
    SECRETS_DIRECTORY: '/FAKE',
    EVENTSTORE_ADMIN_PASSWORD: 'FAKE1',
    EVENTSTORE_OPS_PASSWORD: 'FAKE2',
    EVENTSTORE_PASSWORD: 'FAKE3',
    MONGO_ROOT_PASSWORD: 'FAKE4',
    MONGO_PASSWORD: 'FAKE5',
  };
  (hasCompose ? it : it.skip)(`are valid to Compose${hasCompose ? '' : ' (left out: there is no `docker compose` here)'}`, () => {
    expect(config('')).toEqual({ code: 0, errors: '' });
    expect(config('--env-file docker/cluster.env')).toEqual({ code: 0, errors: '' });
    expect(config('--file docker/production.yml', FAKES)).toEqual({ code: 0, errors: '' });
    for (const name of Object.keys(FAKES)) {
      const { code, errors } = config('--file docker/production.yml', { ...FAKES, [name]: '' });
      expect({ name, code, says: errors.includes(`required variable ${name} is missing`) }).toEqual({ name, code: 1, says: true });
    }
  });
});

describe('the image', () => {
  const lines = read('Dockerfile').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  it('is of a pinned Node, has no compiler, and runs as somebody', () => {
    expect(lines).toContain('ARG NODE_IMAGE=node:20.20.2-bookworm-slim');
    expect(lines.filter((line) => line.startsWith('FROM '))).toEqual(['FROM ${NODE_IMAGE} AS build', 'FROM ${NODE_IMAGE}']);
    expect(last.join('\n')).not.toMatch(/apt-get|npm /);
    expect(last).toContain('USER 1000:1000');
    expect(last.findIndex((line) => line.startsWith('HEALTHCHECK'))).toBeGreaterThan(0);
  });

  it('is made of what is there, and the build sees nothing else', () => {
    const copied = lines.flatMap((line) => /^COPY (?!--from)(.*) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    const tops = copied.map((source) => source.split('/')[0] ?? '');
    expect(tops.filter((top) => !existsSync(path.join(ROOT, top)))).toEqual([]);
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    expect(allowed.map((line) => line.slice(1)).sort()).toEqual([...new Set(tops)].sort());
  });
});
