import { StoreSettingsError, StoreUnavailableError } from '@counterfoil/event-store';
import { DocumentStoreSettingsError, DocumentStoreUnavailableError } from '@counterfoil/read-models';
import { LedgerStartError } from './errors.js';
import { namingSettings, readSettings } from './settings.js';
import { shownLocation } from './stores/locations.js';

const DEFAULT_FILE = { kind: 'sqlite', file: './data/counterfoil.db' };

describe('the settings', () => {
  it('of nothing are those of one file on this machine', () => {
    expect(readSettings({})).toEqual({
      events: DEFAULT_FILE,
      readModels: DEFAULT_FILE,
      host: '127.0.0.1',
      port: 4810,
      keysDirectory: './data/keys',
      bodyLimitBytes: 17 * 1024 * 1024,
      log: 'info',
    });
  });

  it('keep the read models in the file of the events, unless they are told another place', () => {
    const file = { kind: 'sqlite', file: '/elsewhere/moved.db' };
    expect(readSettings({ COUNTERFOIL_EVENTS: 'sqlite:/elsewhere/moved.db' })).toMatchObject({ events: file, readModels: file });
    const models = { kind: 'sqlite', file: '/models.db' };
    const told = { COUNTERFOIL_EVENTS: 'sqlite:/elsewhere/moved.db', COUNTERFOIL_READ_MODELS: 'sqlite:/models.db' };
    expect(readSettings(told)).toMatchObject({ events: file, readModels: models });
  });

  it('take an empty variable for one that is not set', () => {
    expect(readSettings({ COUNTERFOIL_EVENTS: '', COUNTERFOIL_READ_MODELS: '', COUNTERFOIL_STREAM_PREFIX: '' })).toEqual(readSettings({}));
  });

  it.each([
    'esdb://127.0.0.1:2113?tls=false',
    'esdb+discover://cluster.example:2113',
    'kurrentdb://user:FAKEpassword@a:2113,b:2113,c:2113?tls=true&tlsCAFile=/certs/ca.crt',
    'kurrentdb+discover://cluster.example:2113',
  ])('take events from %s', (url) => {
    const { events, readModels } = readSettings({ COUNTERFOIL_EVENTS: url, COUNTERFOIL_STREAM_PREFIX: 'audit.' });
    expect(events).toEqual({ kind: 'eventstoredb', connectionString: url, streamPrefix: 'audit.' });
    expect(readModels).toEqual(DEFAULT_FILE);
  });

  it('put `counterfoil.` before stream names where nothing else is said', () => {
    expect(readSettings({ COUNTERFOIL_EVENTS: 'esdb://h:1' }).events).toMatchObject({ streamPrefix: 'counterfoil.' });
  });

  it.each(['mongodb://a:27017,b:27017/counterfoil?replicaSet=rs', 'mongodb+srv://user:FAKEpassword@cluster.example/counterfoil'])(
    'take read models from %s',
    (url) => {
      const { events, readModels } = readSettings({ COUNTERFOIL_READ_MODELS: url });
      expect(readModels).toEqual({ kind: 'mongodb', url });
      expect(events).toEqual(DEFAULT_FILE);
    },
  );

  it.each([
    ['COUNTERFOIL_EVENTS', 'mongodb://u:FAKEpassword@h/db'],
    ['COUNTERFOIL_EVENTS', 'esdb://'],
    ['COUNTERFOIL_EVENTS', 'sqlite:'],
    ['COUNTERFOIL_EVENTS', 'postgres://u:FAKEpassword@h'],
    ['COUNTERFOIL_READ_MODELS', 'esdb://u:FAKEpassword@h:2113'],
    ['COUNTERFOIL_READ_MODELS', './file.db'],
    ['COUNTERFOIL_PORT', 'none'],
    ['COUNTERFOIL_BODY_LIMIT', '17 PB'],
    ['COUNTERFOIL_LOG', 'loud'],
    ['COUNTERFOIL_STREAM_PREFIX', '$FAKE'],
    ['COUNTERFOIL_STREAM_PREFIX', '.FAKE'],
    ['COUNTERFOIL_STREAM_PREFIX', 'FAKE/'],
    ['COUNTERFOIL_STREAM_PREFIX', `FAKE${'x'.repeat(61)}`],
  ])('refuse %s=%s by its name, and never quote it', (name, value) => {
    const read = () => readSettings({ [name]: value });
    expect(read).toThrow(LedgerStartError);
    expect(read).toThrow(name);
    expect(read).not.toThrow(/FAKE|PB|loud|file\.db/);
  });
});

describe('an error at the start names the setting that is behind it', () => {
  const told = async (error: Error): Promise<unknown> => namingSettings(() => Promise.reject(error)).catch((thrown: unknown) => thrown);
  const system = (code: string, syscall: string, more: object = {}): Error =>
    Object.assign(new Error(`${syscall} ${code} FAKE-host`), { code, syscall, ...more });

  it.each([
    ['a connection string of EventStoreDB', new StoreSettingsError('why'), 'invalid_settings', 'COUNTERFOIL_EVENTS: why'],
    ['one of MongoDB', new DocumentStoreSettingsError('why'), 'invalid_settings', 'COUNTERFOIL_READ_MODELS: why'],
    ['events that are away', new StoreUnavailableError('why'), 'store_unavailable', 'COUNTERFOIL_EVENTS: why'],
    ['read models that are away', new DocumentStoreUnavailableError('why'), 'document_store_unavailable', 'COUNTERFOIL_READ_MODELS: why'],
    [
      'a host of mongodb+srv',
      system('ENOTFOUND', 'querySrv', { hostname: 'FAKE' }),
      'invalid_settings',
      /^COUNTERFOIL_READ_MODELS.*ENOTFOUND/,
    ],
    ['a port that is taken', system('EADDRINUSE', 'listen'), 'invalid_settings', /COUNTERFOIL_PORT.*EADDRINUSE/],
    ['a host that is not here', system('ENOTFOUND', 'getaddrinfo', { hostname: 'FAKE' }), 'invalid_settings', /^COUNTERFOIL_HOST/],
  ])('%s', async (_what, error, code, message) => {
    const thrown = await told(error);
    expect(thrown).toMatchObject({
      code,
      message: (typeof message === 'string' ? message : expect.stringMatching(message)) as unknown,
    });
    expect((thrown as Error).message).not.toContain('FAKE');
  });

  it('and any other is as it was', async () => {
    const error = new Error('a fault of ours');
    expect(await told(error)).toBe(error);
    expect(await namingSettings(() => Promise.resolve(7))).toBe(7);
  });
});

describe('a location that is shown', () => {
  it.each([
    [{ COUNTERFOIL_EVENTS: 'sqlite:/var/lib/ledger.db' }, '/var/lib/ledger.db'],
    [{ COUNTERFOIL_EVENTS: 'esdb://user:FAKEpassword@a:2113,b:2113?tls=true&tlsCAFile=/x' }, 'esdb://a:2113,b:2113'],
    [{ COUNTERFOIL_EVENTS: 'esdb+discover://a:2113' }, 'esdb+discover://a:2113'],
    [{ COUNTERFOIL_EVENTS: 'esdb://u:FAKEp@ss@h:1/?x=1' }, 'esdb://h:1'],
  ])('has neither user nor password nor options', (environment, shown) => {
    expect(shownLocation(readSettings(environment).events)).toBe(shown);
  });

  it('is one of MongoDB, too', () => {
    const { readModels } = readSettings({ COUNTERFOIL_READ_MODELS: 'mongodb://u:FAKEpassword@a,b/db?replicaSet=rs' });
    expect(shownLocation(readModels)).toBe('mongodb://a,b');
  });
});
