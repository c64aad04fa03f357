import { receiptId } from '@counterfoil/canonical';
import { ApprovalNumbers } from './approval-numbers.js';

const idOf = (n: number): string => receiptId({ workspaceId: 'w', sessionId: 's', turn: 't', callId: String(n) });

describe('approvals by their number', () => {
  it('gives the receipt of each back, and of no other', () => {
    const approvals = new ApprovalNumbers();
    for (let n = 0; n < 3000; n++) approvals.push(idOf(n));
    expect(approvals.length).toBe(3000);
    for (let n = 0; n < 3000; n++) expect(approvals.at(n)).toBe(idOf(n));
    for (const n of [3000, 999_999_999, -1, 0.5]) expect(approvals.at(n)).toBeNull();
  });

  it('takes 16 bytes for each, and little for a few', () => {
    const approvals = new ApprovalNumbers();
    expect(approvals.bytes).toBe(0);
    approvals.push(idOf(0));
    expect(approvals.bytes).toBeLessThanOrEqual(1024);
    for (let n = 1; n < 100_000; n++) approvals.push(idOf(n));
    expect(approvals.bytes / 100_000).toBeLessThan(17);
  });
});
