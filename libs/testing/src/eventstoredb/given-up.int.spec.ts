import { once } from 'node:events';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { credentials } from '@grpc/grpc-js';
import { startTestEventStoreDb } from './index.js';
import { streamIdentifier, uuidOf } from './messages.js';

const EVENTS = 50;

function event(n: number): InstanceType<typeof streams.AppendReq> {
  const id = uuidOf(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  const message = new streams.AppendReq.ProposedMessage().setId(id).setData(new Uint8Array(1000)).setCustomMetadata(new Uint8Array(2));
  message.getMetadataMap().set('type', 'Sample').set('content-type', 'application/json');
  return new streams.AppendReq().setProposedMessage(message);
}

/** Seen first as a conflict that a single writer met: its call ran out of time in the middle, and a part of it had been stored. */
it.each(['in the middle', 'at its end'])('an append whose sender gives it up %s is not stored', async (when) => {
  const server = await startTestEventStoreDb();
  const client = new streamsServices.StreamsClient(`127.0.0.1:${String(server.address.port)}`, credentials.createInsecure());
  try {
    for (let n = 0; n < 20; n++) {
      const call = client.append(() => undefined);
      call.on('error', () => undefined);
      const options = new streams.AppendReq.Options()
        .setStreamIdentifier(streamIdentifier(`s${String(n)}`))
        .setNoStream(new shared.Empty());
      call.write(new streams.AppendReq().setOptions(options));
      for (let k = 0; k < EVENTS; k++) call.write(event(k));
      if (when === 'in the middle') await new Promise((resolve) => setTimeout(resolve, n));
      else await new Promise((resolve) => setTimeout(resolve, 30));
      const ended = once(call, 'status');
      call.cancel();
      await ended;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.seenAppends.map(({ stream, ids }) => [stream, ids.length])).toEqual([]);
  } finally {
    client.close();
    await server.stop();
  }
});
