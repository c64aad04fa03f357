import { StoreSettingsError } from '../errors.js';

export interface Connection {
  /** As this client takes it. */
  readonly connectionString: string;
  /**
   * What each append is called with, so that it is a call of its own with a deadline of its own: the client's batched appends share
   * their bookkeeping over all connections of a process, and one that breaks takes the others' appends along (stack.md,
   * @eventstore/db-client rows 1 and 4). Null where there is neither a user nor a plain connection: a name made up for an encrypted one
   * would be sent, and refused.
   */
  readonly appendCredentials: { readonly username: string; readonly password: string } | null;
}

const SCHEME = /^(?:esdb|kurrentdb)(\+discover)?:\/\//i;
const CREDENTIALS = /^[^:@/?#]+:[^:@/?#]+$/;
const HOSTS = /^[A-Za-z0-9._:,-]+$/;

/** What the client takes. It prints a warning that quotes the whole string, password included, for any other. */
const OPTIONS = new Set([
  'usercertfile',
  'userkeyfile',
  'maxdiscoverattempts',
  'connectionname',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'nodepreference',
  'tls',
  'tlsverifycert',
  'tlscafile',
  'throwonappendfailure',
  'keepaliveinterval',
  'keepalivetimeout',
]);

/** On a plain connection the client sends no credentials at all, whatever these are. */
const NOBODY = { username: 'none', password: 'none' };

/**
 * Reads a connection string as far as must be known here, and refuses what the client would misread or quote in a warning.
 *
 * @throws StoreSettingsError, which never quotes the string
 */
export function readConnectionString(text: string): Connection {
  const trimmed = text.trim();
  const scheme = SCHEME.exec(trimmed);
  if (scheme === null) throw refused('it begins with esdb:// or kurrentdb://, each also with +discover');
  const { authority, query } = split(trimmed.slice(scheme[0].length));
  const [credentials, hosts] = authority.includes('@') ? halves(authority, '@') : [null, authority];
  if (credentials !== null && !CREDENTIALS.test(credentials))
    throw refused('it holds user:password before the @, with : @ / ? # percent-encoded');
  if (!HOSTS.test(hosts)) throw refused('it names hosts as host:port, parted by commas');
  const options = optionsOf(query);
  const connectionString = `esdb${scheme[1]?.toLowerCase() ?? ''}://${authority}${query === '' ? '' : `?${query}`}`;
  if (credentials !== null) return { connectionString, appendCredentials: userOf(credentials) };
  return { connectionString, appendCredentials: options.get('tls') === 'false' ? NOBODY : null };
}

function split(rest: string): { readonly authority: string; readonly query: string } {
  const mark = rest.indexOf('?');
  const authority = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  if (query.includes('@') || query.includes('?')) throw refused('it has each @ and ? of a value percent-encoded');
  return { authority: authority.replace(/\/+$/, ''), query: query.replace(/\/+$/, '') };
}

function userOf(credentials: string): { readonly username: string; readonly password: string } {
  const [username, password] = halves(credentials, ':');
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw refused('it percent-encodes user and password in UTF-8');
  }
}

function halves(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}

function optionsOf(query: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name, value] = pair.includes('=') ? halves(pair, '=') : [pair, ''];
    const key = name.trim().toLowerCase().replace(/[_-]/g, '');
    if (!OPTIONS.has(key)) throw refused(`it has only options that the client knows: ${[...OPTIONS].sort().join(', ')}`);
    if (value === '') throw refused(`its option ${key} has a value`);
    options.set(key, value.trim());
  }
  check(options);
  return options;
}

function check(options: ReadonlyMap<string, string>): void {
  // With false the revision that the client reports of a conflict is wrong (stack.md, @eventstore/db-client row 2).
  if (options.get('throwonappendfailure') === 'false') throw refused('it leaves throwOnAppendFailure at true');
  if (options.get('tlsverifycert') === 'false')
    throw refused('it leaves tlsVerifyCert at true; tlsCAFile names a certificate authority of your own');
}

const refused = (rule: string): StoreSettingsError =>
  new StoreSettingsError(`the connection string of the event store can not be used: ${rule}`);
