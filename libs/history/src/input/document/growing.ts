/** A stack of bytes in compact form. */
export class ByteStack {
  length = 0;
  private bytes = new Uint8Array(64);

  push(byte: number): void {
    if (this.length === this.bytes.length) {
      const grown = new Uint8Array(this.bytes.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    this.bytes[this.length++] = byte;
  }

  /** Zero where it is empty. */
  pop(): number {
    const top = this.top;
    if (this.length > 0) this.length--;
    return top;
  }

  get top(): number {
    return this.length === 0 ? 0 : (this.bytes[this.length - 1] ?? 0);
  }
}

/** Numbers below 2^32 in compact form: an array of one line may hold millions of elements. */
export class NumberList {
  length = 0;
  private numbers = new Uint32Array(16);

  add(value: number): void {
    if (this.length === this.numbers.length) {
      const grown = new Uint32Array(this.numbers.length * 2);
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.numbers[this.length++] = value;
  }

  at(index: number): number {
    return this.numbers[index] ?? 0;
  }
}
