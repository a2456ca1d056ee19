# One image for every role; LECTERN_ROLE says which. Node 22 runs the sources as they are.
FROM node:22.23.3-bookworm-slim AS packages
WORKDIR /lectern
COPY package.json package-lock.json ./
COPY production/package.json production/
COPY bin/check-binaries.mjs bin/foreign-binaries.mjs bin/binaries.json bin/
# The image has a Node of its own, so the one from npm is left out; bin/lectern finds that of the image in its place.
RUN npm ci --omit=dev --ignore-scripts && node bin/check-binaries.mjs \
  && rm -r node_modules/node-linux-* && ln -sf /usr/local/bin/node node_modules/.bin/node \
  && node bin/foreign-binaries.mjs && find node_modules -type f -regex '.*\.\(map\|d\.[cm]?ts\)' -delete
# npm names what is missing of the tests' packages, too, and then writes nothing.
RUN npm pkg delete devDependencies && npm pkg delete devDependencies --workspace=lectern-production \
  && npm sbom --omit=dev --sbom-format=cyclonedx > sbom.json

# The local embedding models, for the process has nowhere to write them. `--build-arg MODELS=all-minilm-l6-v2` takes that one alone.
FROM packages AS models
ARG MODELS="all-minilm-l6-v2 multilingual-e5-small"
COPY bin/fetch-model.ts bin/
COPY services services
RUN mkdir /models && for model in $MODELS; do \
    node --disable-warning=ExperimentalWarning bin/fetch-model.ts /models "$model" || exit 1; \
  done

# Workers find their workflows bundled, which takes seconds, and could not keep a bundle of their own.
FROM packages AS build
COPY . .
RUN node --disable-warning=ExperimentalWarning web/build.ts \
  && node --disable-warning=ExperimentalWarning workflows/temporal/bundle.ts \
  && mv node_modules/.cache built && rm -r node_modules && mkdir node_modules && mv built node_modules/.cache \
  # Any user of the container reads these, whatever the umask of whoever cloned them.
  && chmod -R a+rX .

FROM node:22.23.3-bookworm-slim
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 LECTERN_HTTP=0.0.0.0:8080 LECTERN_GRPC=0.0.0.0:50051 LECTERN_DATA=/data LECTERN_MODELS=/lectern/models
WORKDIR /lectern
COPY --from=packages /lectern/node_modules node_modules
COPY --from=models /models models
COPY --from=build /lectern .
COPY --from=packages /lectern/sbom.json .
# The role `all` keeps its data here, the role `gateway` what it cannot pass on at once; nothing else is the user's, who may be anyone.
RUN mkdir --mode=1777 /data && chown -R root:root /home/node
VOLUME /data
USER 1000
EXPOSE 8080 50051
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s \
  CMD ["node", "--disable-warning=ExperimentalWarning", "bin/health.ts"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=4", "app/main.ts"]
