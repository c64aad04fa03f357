import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DocumentStore } from '../port.js';
import { documentStoreConformance } from '@counterfoil/testing';
import { openSqliteDocumentStore } from './index.js';

documentStoreConformance('sqlite', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'counterfoil-documents-'));
  const opened: DocumentStore[] = [];
  return {
    open: async () => {
      const store = await openSqliteDocumentStore({ file: path.join(directory, 'ledger.db') });
      opened.push(store);
      return store;
    },
    dispose: async () => {
      for (const store of opened) await store.close();
      await rm(directory, { recursive: true });
    },
  };
});
