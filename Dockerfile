# One image for every role; LECTERN_ROLE says which. Node 22 runs the sources as they are.
FROM node:22.23.3-bookworm-slim AS packages
WORKDIR /lectern
COPY package.json package-lock.json ./
COPY production/package.json production/
COPY bin/check-binaries.mjs bin/foreign-binaries.mjs bin/binaries.json bin/
# The image has a Node of its own, so the one from npm is left out.
RUN npm ci --omit=dev --ignore-scripts && node bin/check-binaries.mjs \
  && rm -r node_modules/node-linux-* node_modules/.bin/node && node bin/foreign-binaries.mjs

# The local embedding models: the process has nowhere to write them.
FROM packages AS models
COPY bin/fetch-model.ts bin/
COPY services services
RUN node --disable-warning=ExperimentalWarning bin/fetch-model.ts /models all-minilm-l6-v2 \
  && node --disable-warning=ExperimentalWarning bin/fetch-model.ts /models multilingual-e5-small

FROM node:22.23.3-bookworm-slim
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 LECTERN_HTTP=0.0.0.0:8080 LECTERN_GRPC=0.0.0.0:50051 LECTERN_DATA=/data LECTERN_MODELS=/lectern/models
WORKDIR /lectern
COPY --from=packages /lectern/node_modules node_modules
COPY --from=models /models models
COPY . .
RUN node --disable-warning=ExperimentalWarning web/build.ts
# Workers find their workflows bundled, which takes seconds, and could not keep a bundle of their own.
RUN node --disable-warning=ExperimentalWarning workflows/temporal/bundle.ts
# The role `all` keeps its data here, the role `gateway` what it cannot pass on at once; nothing else is the user's.
RUN mkdir /data && chown node:node /data && chown -R root:root /home/node
VOLUME /data
USER node
EXPOSE 8080 50051
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s \
  CMD ["node", "--disable-warning=ExperimentalWarning", "bin/health.ts"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=4", "app/main.ts"]
