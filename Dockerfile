# One image for servers, projectors, the command line and the one-shot services of the compose files.
# 20.20.2 is the Node that the suites run on; the tag was never pulled on the machine that this was written on.
ARG NODE_IMAGE=node:20.20.2-bookworm-slim

FROM ${NODE_IMAGE} AS build
# better-sqlite3 is compiled where it has no ready-made binary.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --loglevel=error
COPY nest-cli.json tsconfig.json ./
COPY scripts ./scripts
COPY apps ./apps
COPY libs ./libs
# Pruned, not installed anew: what was compiled stays, and the last stage needs no compiler.
RUN node scripts/build.mjs --force && npm prune --omit=dev --loglevel=error

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
  COUNTERFOIL_HOST=0.0.0.0 \
  COUNTERFOIL_PORT=4810 \
  COUNTERFOIL_EVENTS=sqlite:/var/lib/counterfoil/counterfoil.db \
  COUNTERFOIL_READ_MODELS=sqlite:/var/lib/counterfoil/counterfoil.db \
  COUNTERFOIL_KEYS=/var/lib/counterfoil/keys
WORKDIR /app
# Everything under /app is root's: the process can't change what it runs, also where the root file system is not read-only.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY docker/*.mjs ./docker/
# A volume that is empty takes over owner and mode from here, and the ledger refuses keys that others may read.
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/counterfoil /var/lib/counterfoil/keys
# The number of the user `node`: where only names are given, nobody can check that it isn't root.
USER 1000:1000
EXPOSE 4810
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "docker/healthcheck.mjs", "live"]
ENTRYPOINT ["node"]
CMD ["dist/apps/server/src/main.js"]
