import { databaseOf } from './connection.js';

it.each([
  ['mongodb://127.0.0.1:27017', undefined],
  ['mongodb://127.0.0.1:27017/', undefined],
  ['mongodb://127.0.0.1/?replicaSet=rs0', undefined],
  ['mongodb://127.0.0.1:27017/ledger', 'ledger'],
  ['mongodb://one:1,two:2,three:3/ledger?replicaSet=rs0&w=1', 'ledger'],
  ['mongodb://user:FAKE%2Fsecret@one/ledger%20one', 'ledger one'],
  ['mongodb+srv://user:FAKEsecret@cluster.example/ledger', 'ledger'],
])('%s names the database %s', (url, name) => {
  expect(databaseOf(url)).toBe(name);
});
