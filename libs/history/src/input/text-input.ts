import type { SourceItem } from '../import/source-item.js';
import type { ByteSource, Peeked } from './byte-source.js';
import { LINE_LIMIT } from './opened-input.js';
import type { Container, InputOptions, OpenedInput } from './opened-input.js';
import { TextItems } from './text-items.js';

/** A text of lines or documents, as it came or unpacked. */
export class TextInput implements OpenedInput {
  readonly otherTables = {};
  private readonly text: TextItems;

  constructor(
    private readonly raw: ByteSource,
    readonly compressed: boolean,
    private readonly content: Peeked,
    { lineLimit = LINE_LIMIT, signal }: InputOptions,
  ) {
    this.text = new TextItems(lineLimit, signal);
  }

  get container(): Container {
    return this.text.container;
  }

  get totalBytes(): number | null {
    return this.raw.totalBytes;
  }

  get bytes(): number {
    return this.raw.bytes;
  }

  get ended(): boolean {
    return this.text.ended;
  }

  items(): AsyncGenerator<SourceItem> {
    return this.text.read(this.content.chunks);
  }

  async close(): Promise<void> {
    await this.content.close();
  }
}
