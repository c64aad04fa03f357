import type { RegistryStep } from '../steps.js';
import { decideOn } from './approvals.js';
import { cancel, close, dispatch, heartbeat, observe, report, request, sweep } from './calls.js';
import { complete, recordEvidence } from './evidence.js';
import type { Intent, IntentTo } from './intents.js';
import { activate, addTask, change, closePlan } from './plans.js';
import { ReferenceRegistry } from './registry.js';
import { ACCEPTED, SAME, type Answer, type Call, type Moment, type Said, type Session } from './shapes.js';

/**
 * A ledger as naive as it can be, written from the design's text: plain objects, lists that are searched from end to end, no events, and
 * no code of the decider that it is compared with.
 */
export class Reference {
  readonly sessions = new Map<string, Session>();
  readonly registry = new ReferenceRegistry();
  private count = 0;

  register(step: RegistryStep): Said {
    return this.registry.apply(step);
  }

  apply(sessionId: string, intent: Intent, now: number): Answer {
    const moment = { now, count: ++this.count };
    const session = this.sessions.get(sessionId);
    if (intent.do === 'open') return this.open(sessionId, session, intent);
    if (session === undefined) return intent.do === 'sweep' ? SAME : 'not_found';
    switch (intent.do) {
      case 'close':
        return close(session, moment);
      case 'sweep':
        return sweep(session, moment);
      case 'request':
        return request(session, intent, this.registry, moment);
      case 'observe':
        return observe(session, intent, this.registry, moment);
      case 'grant':
      case 'deny':
        return decideOn(session, intent, this.registry, moment);
      case 'dispatch':
      case 'report':
      case 'cancel':
      case 'heartbeat': {
        const call = session.calls.find((one) => one.turn === intent.turn && one.id === intent.id);
        return call === undefined ? 'not_found' : this.onCall(session, call, intent, moment);
      }
      default:
        return onPlan(session, intent, moment);
    }
  }

  private open(sessionId: string, session: Session | undefined, { user, agent }: IntentTo<'open'>): Answer {
    if (session === undefined) {
      this.sessions.set(sessionId, { user, agent, closed: false, calls: [], plans: [], evidence: [] });
      return ACCEPTED;
    }
    if (session.user !== user) return 'session_id_unavailable';
    return session.agent === agent ? SAME : 'session_conflict';
  }

  private onCall(session: Session, call: Call, intent: IntentTo<'dispatch' | 'report' | 'cancel' | 'heartbeat'>, moment: Moment): Answer {
    switch (intent.do) {
      case 'dispatch':
        return dispatch(session, call, intent, this.registry, moment);
      case 'report':
        return report(call, intent);
      case 'cancel':
        return cancel(call, moment);
      case 'heartbeat':
        return heartbeat(call, intent, moment);
    }
  }
}

type OnPlan = IntentTo<'activate' | 'close plan' | 'add task' | 'change' | 'complete' | 'evidence'>;

function onPlan(session: Session, intent: OnPlan, moment: Moment): Answer {
  switch (intent.do) {
    case 'activate':
      return activate(session, intent);
    case 'close plan':
      return closePlan(session, intent);
    case 'add task':
      return addTask(session, intent);
    case 'change':
      return change(session, intent, moment);
    case 'complete':
      return complete(session, intent);
    case 'evidence':
      return recordEvidence(session, intent, moment);
  }
}
