# One image for every role; LECTERN_ROLE says which. Node 22 runs the sources as they are.
FROM node:22.23.3-bookworm-slim AS packages
WORKDIR /lectern
COPY package.json package-lock.json ./
COPY production/package.json production/
COPY bin/check-binaries.mjs bin/foreign-binaries.mjs bin/binaries.json bin/
# Removes the Node from npm: the base image has one, to which bin/lectern is linked.
RUN npm ci --omit=dev --ignore-scripts && node bin/check-binaries.mjs \
  && rm -r node_modules/node-linux-* && ln -sf /usr/local/bin/node node_modules/.bin/node \
  && node bin/foreign-binaries.mjs && find node_modules -type f -regex '.*\.\(map\|d\.[cm]?ts\)' -delete
# Without the tests' packages, which are not installed: npm would report them as missing and write no list.
RUN npm pkg delete devDependencies && npm pkg delete devDependencies --workspace=lectern-production \
  && npm sbom --omit=dev --sbom-format=cyclonedx > sbom.json

# The local embedding models, because the container cannot store them. `--build-arg MODELS=all-minilm-l6-v2` includes only that one.
FROM packages AS models
ARG MODELS="all-minilm-l6-v2 multilingual-e5-small"
COPY bin/fetch-model.ts bin/
COPY services services
RUN mkdir /models && for model in $MODELS; do \
    node --disable-warning=ExperimentalWarning bin/fetch-model.ts /models "$model" || exit 1; \
  done

# Bundles the pages and, for workers, which cannot store a bundle, the workflows.
FROM packages AS build
COPY . .
RUN node --disable-warning=ExperimentalWarning web/build.ts \
  && node --disable-warning=ExperimentalWarning workflows/temporal/bundle.ts \
  && mv node_modules/.cache built && rm -r node_modules && mkdir node_modules && mv built node_modules/.cache \
  # Readable by any user of the container, whatever the umask of the clone.
  && chmod -R a+rX .

FROM node:22.23.3-bookworm-slim
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 LECTERN_HTTP=0.0.0.0:8080 LECTERN_GRPC=0.0.0.0:50051 LECTERN_DATA=/data LECTERN_MODELS=/lectern/models
WORKDIR /lectern
COPY --from=packages /lectern/node_modules node_modules
COPY --from=models /models models
COPY --from=build /lectern .
COPY --from=packages /lectern/sbom.json .
# The role `all` stores its data here, the role `gateway` buffers uploads. The container may run under any user, who can write nothing else.
RUN mkdir --mode=1777 /data && chown -R root:root /home/node
VOLUME /data
USER 1000
EXPOSE 8080 50051
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s \
  CMD ["node", "--disable-warning=ExperimentalWarning", "bin/health.ts"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=4", "app/main.ts"]
