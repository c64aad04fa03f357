import { LedgerStartError } from './errors.js';
import { readSettings } from './settings.js';
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
  ])('refuse %s=%s by its name, and never quote it', (name, value) => {
    const read = () => readSettings({ [name]: value });
    expect(read).toThrow(LedgerStartError);
    expect(read).toThrow(name);
    expect(read).not.toThrow(/FAKE|PB|loud|file\.db/);
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
