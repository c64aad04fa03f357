// Makes the replica set where there is none, and the user that servers and projectors connect as where a password for it is given. What is
// there already stays: it may be run at every start.
//   MONGO_NODE_URL       the node that the replica set begins with
//   MONGO_REPLICA_SET    its name
//   MONGO_MEMBERS        host:port of each member, parted by commas, as the members and their clients reach them
//   MONGO_ROOT_PASSWORD  of `root`; absent where the nodes ask for none
//   MONGO_PASSWORD       of `counterfoil`, which may read and write the database `counterfoil` and nothing else; absent: no user is made
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';

const USER = 'counterfoil';
const PATIENCE_MS = 90_000;
const NOT_YET_INITIALIZED = 94;
const ALREADY_INITIALIZED = 23;

const { MONGO_NODE_URL, MONGO_REPLICA_SET, MONGO_MEMBERS, MONGO_ROOT_PASSWORD, MONGO_PASSWORD } = process.env;
for (const name of ['MONGO_NODE_URL', 'MONGO_REPLICA_SET', 'MONGO_MEMBERS']) {
  if (!process.env[name]) throw new Error(`${name} must be set`);
}
const members = MONGO_MEMBERS.split(',');

const isCode = (error, code) => error instanceof Error && error.code === code;

/** Connects as root, does the work, and closes again. */
async function connected(url, options, work) {
  const auth = MONGO_ROOT_PASSWORD ? { auth: { username: 'root', password: MONGO_ROOT_PASSWORD }, authSource: 'admin' } : {};
  const client = new MongoClient(url, { ...options, ...auth, serverSelectionTimeoutMS: PATIENCE_MS });
  try {
    return await work(client.db('admin'), client);
  } finally {
    await client.close();
  }
}

async function makeReplicaSet(admin) {
  try {
    await admin.command({ replSetGetStatus: 1 });
    return await compareMembers(admin);
  } catch (error) {
    if (!isCode(error, NOT_YET_INITIALIZED)) throw error;
  }
  const config = { _id: MONGO_REPLICA_SET, members: members.map((host, _id) => ({ _id, host })) };
  try {
    await admin.command({ replSetInitiate: config });
    console.log(`The replica set ${MONGO_REPLICA_SET} was made of ${members.join(', ')}.`);
  } catch (error) {
    // Somebody else was faster.
    if (!isCode(error, ALREADY_INITIALIZED)) throw error;
  }
}

/** To change the members of a replica set is for its operator to do. */
async function compareMembers(admin) {
  const { config } = await admin.command({ replSetGetConfig: 1 });
  const there = config.members.map(({ host }) => host);
  if ([...there].sort().join() === [...members].sort().join()) return;
  throw new Error(`The replica set ${config._id} has the members ${there.join(', ')}, and not ${members.join(', ')}.`);
}

async function waitForPrimary(admin) {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await delay(500)) {
    const { primary } = await admin.command({ hello: 1 });
    if (primary !== undefined) return console.log(`The primary is ${primary}.`);
  }
  throw new Error('The replica set has no primary.');
}

/** By way of the replica set, whose primary may be another node than the first. */
async function makeUser(client) {
  const database = client.db(USER);
  const { users } = await database.command({ usersInfo: USER });
  if (users.length > 0) return console.log(`The user ${USER} is there; its password was not changed.`);
  await database.command({ createUser: USER, pwd: MONGO_PASSWORD, roles: [{ role: 'readWrite', db: USER }] });
  console.log(`The user ${USER} was made.`);
}

await connected(MONGO_NODE_URL, { directConnection: true }, async (admin) => {
  await makeReplicaSet(admin);
  await waitForPrimary(admin);
});
if (MONGO_PASSWORD) {
  const parameters = new URL(MONGO_NODE_URL).search;
  await connected(`mongodb://${MONGO_MEMBERS}/${parameters}`, { replicaSet: MONGO_REPLICA_SET }, (_admin, client) => makeUser(client));
}
