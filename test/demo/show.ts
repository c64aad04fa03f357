export interface Receipt {
  readonly turn: string;
  readonly callId: string;
  readonly status: string;
  readonly tool: { readonly name: string };
  readonly arguments: { readonly json: string };
  readonly reason: { readonly code: string } | null;
  readonly authorisation: { readonly kind: string; readonly by: string | null };
  readonly result: { readonly json: string } | null;
  readonly verification: { readonly state: string; readonly change: string | null };
  readonly taskId: string | null;
}

export function say(line: string): void {
  process.stdout.write(`- ${line}\n`);
}

/** Oldest first, as the calls were asked for. */
export function showReceipts(receipts: readonly Receipt[]): void {
  const head = ['turn', 'call', 'tool', 'arguments', 'task', 'status', 'verified', 'reason', 'authorised by', 'result'];
  const rows = [...receipts]
    .reverse()
    .map((receipt) => [
      receipt.turn,
      receipt.callId,
      receipt.tool.name,
      receipt.arguments.json,
      receipt.taskId ?? '',
      receipt.status,
      receipt.verification.state,
      receipt.reason?.code ?? '',
      receipt.authorisation.by ?? receipt.authorisation.kind,
      receipt.result?.json ?? '',
    ]);
  const cells = [head, ...rows].map((row) => row.map((cell) => (cell.length > 44 ? `${cell.slice(0, 43)}…` : cell)));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`\n${lines[0] ?? ''}\n${widths.map((width) => '-'.repeat(width)).join('  ')}\n${lines.slice(1).join('\n')}\n`);
}
