import { StreamQuery } from '../../stream/stream-query.js';
import { answered, type RouteEntry } from '../route-entry.js';

export const STREAM_ROUTES: readonly RouteEntry[] = [
  {
    route: 'GET /v1/stream',
    id: 'openStream',
    tag: 'stream',
    summary: 'Follow receipts, approvals and tasks as they change',
    description:
      'Server-sent events: `event` is receipt, approval or task, `data` the document as GET answers it, `id` the position. It begins at the head, or after the position in `Last-Event-ID` (or `from`). Each message comes at least once: of several at one position only the last has the id. It ends with the key, or with the server; then resume.',
    query: StreamQuery,
    headers: [{ name: 'Last-Event-ID', description: 'The last id that was received: everything after it is sent.' }],
    answers: answered('The stream.', { mediaType: 'text/event-stream' }),
    problems: ['invalid_position', 'position_of_another_ledger', 'too_many_streams'],
  },
];
