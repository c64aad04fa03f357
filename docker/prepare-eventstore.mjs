// Makes the user that servers and projectors connect as, and gives it the rights that it needs and no others: to read and append to streams
// that are not the server's own, and to read $all. What deletes, truncates or lets be scavenged (deleting, and writing a stream's metadata)
// is left to administrators. What is there already stays: it may be run at every start. It sets the server's default rights, which hold for
// all streams: the server must hold nothing but ledgers.
//   EVENTSTORE_HOSTS           host:port of each node, parted by commas
//   EVENTSTORE_CA_FILE         the certificate of who signed theirs; absent: a server without TLS, which knows no rights either
//   EVENTSTORE_ADMIN_PASSWORD  of `admin`
//   EVENTSTORE_PASSWORD        of `counterfoil`
//   EVENTSTORE_USERS_HOSTS     where users are made, if not at EVENTSTORE_HOSTS
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';

const USER = 'counterfoil';
const ADMINS = '$admins';
const ROUNDS = 30;
/** Of streams that have no rights of their own, as the server writes them: read, write, delete, read and write the metadata. */
const STREAMS = { $r: [ADMINS, USER], $w: [ADMINS, USER], $d: ADMINS, $mr: [ADMINS, USER], $mw: ADMINS };
const SYSTEM_STREAMS = { $r: ADMINS, $w: ADMINS, $d: ADMINS, $mr: ADMINS, $mw: ADMINS };
const DEFAULTS = { $userStreamAcl: STREAMS, $systemStreamAcl: SYSTEM_STREAMS };
/** What holds where nobody has set anything. */
const FOR_ALL = { $r: '$all', $w: '$all', $d: '$all', $mr: '$all', $mw: '$all' };

const { EVENTSTORE_HOSTS, EVENTSTORE_CA_FILE, EVENTSTORE_ADMIN_PASSWORD, EVENTSTORE_PASSWORD, EVENTSTORE_USERS_HOSTS } = process.env;
for (const name of ['EVENTSTORE_HOSTS', 'EVENTSTORE_ADMIN_PASSWORD', 'EVENTSTORE_PASSWORD']) {
  if (!process.env[name]) throw new Error(`${name} must be set`);
}

/** With each call: the client then appends by a call of its own, and not over a stream that it waits for at the end. */
const AS_ADMIN = { credentials: { username: 'admin', password: EVENTSTORE_ADMIN_PASSWORD }, requiresLeader: true };

/** @returns {Promise<number>} the status of the answer */
function post(host, path, body) {
  const tls = EVENTSTORE_CA_FILE ? { ca: readFileSync(EVENTSTORE_CA_FILE) } : {};
  const request = EVENTSTORE_CA_FILE ? tlsRequest : plainRequest;
  const url = `${EVENTSTORE_CA_FILE ? 'https' : 'http'}://${host}${path}`;
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers, auth: `admin:${EVENTSTORE_ADMIN_PASSWORD}`, timeout: 10_000, ...tls },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** At whichever node takes it: not each does at all times. */
async function makeUser() {
  const user = { loginName: USER, fullName: 'Counterfoil servers and projectors', groups: [], password: EVENTSTORE_PASSWORD };
  const hosts = (EVENTSTORE_USERS_HOSTS ?? EVENTSTORE_HOSTS).split(',');
  let last = '';
  for (let round = 0; round < ROUNDS; round++) {
    for (const host of hosts) {
      const status = await post(host, '/users/', user).catch((error) => error.message);
      if (status === 201) return console.log(`The user ${USER} was made.`);
      if (status === 409) return console.log(`The user ${USER} is there; its password was not changed.`);
      last = `${host}: ${status}`;
    }
    await delay(1000);
  }
  throw new Error(`The user ${USER} could not be made (${last}).`);
}

async function grantReadingAll(client) {
  const { metadata = {} } = await client.getStreamMetadata('$all', AS_ADMIN);
  const readers = new Set([...[metadata.acl?.readRoles ?? []].flat(), ADMINS, USER]);
  const acl = { ...metadata.acl, readRoles: [...readers] };
  if (isDeepStrictEqual(metadata.acl, acl)) return;
  await client.setStreamMetadata('$all', { ...metadata, acl }, AS_ADMIN);
  console.log(`The user ${USER} may read $all.`);
}

async function setDefaults(client) {
  const there = await lastOf(client, '$settings');
  if (isDeepStrictEqual(there, DEFAULTS)) return;
  const rights = there?.$userStreamAcl;
  // Somebody has thought about rights here, and is to go on doing so.
  if (rights !== undefined && !isDeepStrictEqual(rights, FOR_ALL))
    throw new Error('$settings holds default rights that are not ours: set those of docs/operations.md by hand.');
  await client.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data: DEFAULTS }), AS_ADMIN);
  console.log('The default rights were set: deleting and writing metadata is for administrators.');
}

async function lastOf(client, stream) {
  let last = null;
  const newest = { direction: 'backwards', fromRevision: 'end', maxCount: 1, ...AS_ADMIN };
  try {
    // To its end, which is one event away: a read that was left would keep the client from ending.
    for await (const { event } of client.readStream(stream, newest)) last = event.data;
  } catch (error) {
    if (error.type !== 'stream-not-found') throw error;
  }
  return last;
}

await makeUser();
const tls = EVENTSTORE_CA_FILE ? `tls=true&tlsCAFile=${EVENTSTORE_CA_FILE}` : 'tls=false';
const client = EventStoreDBClient.connectionString(`esdb://${EVENTSTORE_HOSTS}?${tls}`);
try {
  await grantReadingAll(client);
  await setDefaults(client);
} finally {
  await client.dispose();
}
