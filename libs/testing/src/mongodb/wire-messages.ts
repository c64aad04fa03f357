const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** Flags (4 bytes), the kind of the first section (1), the length of its document (4), the type of the first element (1). */
const FIRST_KEY = HEADER_BYTES + 4 + 1 + 4 + 1;

/** Cuts a stream of bytes into whole messages of the MongoDB wire protocol: each begins with its length as a 32-bit integer. */
export class MessageSplitter {
  private rest: Buffer = Buffer.alloc(0);

  *push(bytes: Buffer): Generator<Buffer> {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    while (this.rest.length >= HEADER_BYTES) {
      const length = this.rest.readInt32LE(0);
      if (this.rest.length < length) return;
      yield this.rest.subarray(0, length);
      this.rest = this.rest.subarray(length);
    }
  }
}

/** Number of a request, which its answer repeats. */
export const requestIdOf = (message: Buffer): number => message.readInt32LE(4);
export const answeredIdOf = (message: Buffer): number => message.readInt32LE(8);

/** The command of a request: the first key of its document. Empty for other messages, such as the old handshake. */
export function commandOf(message: Buffer): string {
  return isDocumentMessage(message) ? message.toString('utf8', FIRST_KEY, message.indexOf(0, FIRST_KEY)) : '';
}

/** What its first key names: of a command that reads or writes documents, their collection. Empty where that is no text. */
export function collectionOf(message: Buffer): string {
  if (!isDocumentMessage(message) || message[FIRST_KEY - 1] !== BSON_STRING) return '';
  const length = message.indexOf(0, FIRST_KEY) + 1;
  return message.toString('utf8', length + 4, length + 4 + message.readInt32LE(length) - 1);
}

/** Does it hold documents as all requests of today do? */
export const isDocumentMessage = (message: Buffer): boolean => message.readInt32LE(12) === OP_MSG;

/** The sections of such a message, which begin after its header and its flags. */
export const sectionsOf = (message: Buffer): Buffer => message.subarray(HEADER_BYTES + 4);

const BSON_STRING = 2;
