# One image for every role; LECTERN_ROLE says which. Node 22 runs the sources as they are.
FROM node:22.23.3-bookworm-slim AS packages
WORKDIR /lectern
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force

FROM node:22.23.3-bookworm-slim
ENV NODE_ENV=production LECTERN_HTTP=0.0.0.0:8080 LECTERN_GRPC=0.0.0.0:50051 LECTERN_DATA=/data
WORKDIR /lectern
COPY --from=packages /lectern/node_modules node_modules
COPY . .
# Workers find their workflows bundled, which takes seconds, and could not keep a bundle of their own.
RUN node --disable-warning=ExperimentalWarning workflows/temporal/bundle.ts
# The role `all` keeps its data here; the others keep none.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 8080 50051
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s \
  CMD ["node", "--disable-warning=ExperimentalWarning", "bin/health.ts"]
CMD ["node", "--disable-warning=ExperimentalWarning", "services/main.ts"]
