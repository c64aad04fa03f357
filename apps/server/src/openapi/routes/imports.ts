import { ImportView } from '@counterfoil/contracts';
import { ImportListQuery, QuarantineListQuery } from '@counterfoil/read-models';
import { UPLOAD_TYPES } from '../../http/uploads.js';
import { ImportQuery } from '../../imports/commands.js';
import { answered, MIN_POSITION, named, PAGE_PROBLEMS, QUERY_PROBLEMS, type RouteEntry } from '../route-entry.js';
import { ImportAnswer, pageOf, QuarantinedRecord } from '../schemas.js';

const answer = named('ImportAnswer', ImportAnswer);

const IMPORT_DESCRIPTION = `The body is read as it comes, of any length: lines of JSON, JSON, or a database, plain or compressed by gzip. What it is its content says.

Each record has one fate: \`imported\`, \`duplicate\`, \`derivedCopy\`, \`notAReceipt\` or \`quarantined\`; \`read\` is their sum. To import again adds nothing, so that an import whose answer was lost is simply sent again. \`run\` names it, so that GET /v1/imports/{id} tells how far it is.

What is counted is recorded, however the import ends. It ends early with \`state: "interrupted"\` when its key is revoked, when the server stops, or when nothing comes for a minute; if the client goes away just so, and nobody gets the answer. If it fails after records were stored the answer is no problem but this one with \`state: "failed"\` and \`error\`; a problem means, as everywhere, that nothing was recorded.

\`user\` and \`session\` are for records that name none. With \`dryRun=true\` nothing is stored, and the counts say what an import would do.`;

export const IMPORT_ROUTES: readonly RouteEntry[] = [
  {
    route: 'POST /v1/imports',
    id: 'runImport',
    tag: 'imports',
    summary: 'Import records of old systems',
    description: IMPORT_DESCRIPTION,
    query: ImportQuery,
    upload: UPLOAD_TYPES,
    answers: {
      201: { description: 'The import has ended, and has added something.', content: answer },
      200: { description: 'The import has ended; everything was imported before, or nothing was to be stored.', content: answer },
    },
    problems: ['import_unreadable', 'import_running', 'too_many_imports', 'identifier_is_secret', 'outcome_unknown', 'ledger_sealed'],
  },
  {
    route: 'GET /v1/imports',
    id: 'findImports',
    tag: 'imports',
    summary: 'List imports that ended and added something, newest first',
    query: ImportListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('ImportPage', pageOf(ImportView))),
    problems: PAGE_PROBLEMS,
  },
  {
    route: 'GET /v1/imports/:id',
    id: 'getImport',
    tag: 'imports',
    summary: 'Read an import: its counts, or how far it is',
    description:
      'Also of an import that runs in the server that is asked, and of the last that ended there, whether they added something or not. Of one that was stopped and went on under its name the ledger has the counts of all its goes together.',
    headers: [MIN_POSITION],
    answers: answered('The import.', named('Import', ImportView)),
    problems: QUERY_PROBLEMS,
  },
  {
    route: 'GET /v1/imports/:id/quarantined',
    id: 'findQuarantined',
    tag: 'imports',
    summary: 'List the records that an import put aside, newest first',
    description:
      'Each with its place in the input, the reason, and the record itself, redacted and bounded. A record is put aside once: it is listed under the import that was the first to read it.',
    query: QuarantineListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('QuarantinedPage', pageOf(QuarantinedRecord))),
    problems: PAGE_PROBLEMS,
  },
];
