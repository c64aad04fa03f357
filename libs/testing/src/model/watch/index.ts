import type { SessionEvent } from '@counterfoil/contracts';
import { WatchedCalls } from './calls.js';
import { isOfCall, type Recorded } from './must.js';
import { WatchedTasks } from './tasks.js';

/** Looks at the events of one session as they are recorded, and throws where one of them breaks a promise. Knows no decider and no model. */
export class Watch {
  private readonly tasks = new WatchedTasks();
  private readonly calls = new WatchedCalls(this.tasks);

  /** States of the active plan's tasks, as the events of plans and tasks alone have made them (promise 17). */
  get taskStatuses(): Readonly<Record<string, string>> {
    return this.tasks.statuses;
  }

  observe(event: SessionEvent, recorded: Recorded): void {
    if (event.type === 'SessionOpened') return;
    if (event.type === 'SessionClosed') {
      this.calls.sessionClosed();
      return;
    }
    if (!isOfCall(event)) {
      this.tasks.observe(event, recorded.revision, this.calls.calls);
      return;
    }
    this.calls.observe(event, recorded);
    if (event.type === 'ToolDispatched') this.tasks.ran(event.data, recorded.revision);
    if (event.type === 'ToolCallObserved') {
      const requested = this.calls.calls.get(event.data.receiptId)?.requested;
      const bound = { planId: requested?.planId ?? null, taskId: requested?.taskId ?? null };
      this.tasks.ran({ outdates: event.data.outdates ?? 'session', ...bound }, recorded.revision);
    }
  }
}
