import type { FastifyReply } from 'fastify';

/** Answers 201 when the command added something, and 200 when the same was said before. */
export function created<T extends { readonly added: number }>(reply: FastifyReply, { added, ...answer }: T): Omit<T, 'added'> {
  void reply.status(added > 0 ? 201 : 200);
  return answer;
}
