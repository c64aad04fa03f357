import { StoreSettingsError } from '../errors.js';
import { readConnectionString } from './connection-string.js';

describe('a connection string', () => {
  it.each([
    ['esdb://localhost:2113?tls=false', 'esdb://localhost:2113?tls=false'],
    ['kurrentdb://localhost:2113?tls=false', 'esdb://localhost:2113?tls=false'],
    ['KurrentDB+Discover://cluster.example:2113', 'esdb+discover://cluster.example:2113'],
    ['esdb+discover://a:b@cluster.example', 'esdb+discover://a:b@cluster.example'],
    [' esdb://one:1,two:2,three:3/?tls=false&keepAliveInterval=10000 ', 'esdb://one:1,two:2,three:3?tls=false&keepAliveInterval=10000'],
    ['esdb://localhost/', 'esdb://localhost'],
  ])('%s is handed to the client as %s', (text, wanted) => {
    expect(readConnectionString(text).connectionString).toBe(wanted);
  });

  it('names its user for each append, decoded; on a plain connection somebody who is never sent', () => {
    const { appendCredentials } = readConnectionString('esdb://FAKE-user:FAKE%3Apass%40word@localhost?tls=true');
    expect(appendCredentials).toEqual({ username: 'FAKE-user', password: 'FAKE:pass@word' });
    expect(readConnectionString('esdb://localhost?tls=false').appendCredentials).not.toBeNull();
    expect(readConnectionString('esdb://localhost?userCertFile=a&userKeyFile=b').appendCredentials).toBeNull();
  });

  it.each([
    ['another scheme', 'http://FAKE-secret@localhost'],
    ['no host', 'esdb://?tls=false'],
    ['a password with a colon, which the client would cut', 'esdb://user:FAKE-secret:more@localhost'],
    ['a password with an @', 'esdb://user:FAKE-secret@more@localhost'],
    ['a password that is no UTF-8', 'esdb://user:FAKE-secret%ff@localhost'],
    ['a user without a password', 'esdb://FAKE-secret@localhost'],
    ['an option that the client would quote in a warning, with the whole string', 'esdb://user:FAKE-secret@localhost?tlss=false'],
    ['an option without a value', 'esdb://user:FAKE-secret@localhost?tls='],
    ['a value that the client would take for a user', 'esdb://localhost?connectionName=FAKE-secret@x'],
    ['wrong revisions in conflicts', 'esdb://user:FAKE-secret@localhost?throwOnAppendFailure=false'],
    ['certificates that are not looked at', 'esdb://user:FAKE-secret@localhost?tlsVerifyCert=false'],
  ])('with %s is refused, and not quoted', (_what, text) => {
    expect(() => readConnectionString(text)).toThrow(StoreSettingsError);
    expect(() => readConnectionString(text)).not.toThrow(/FAKE/);
  });
});
