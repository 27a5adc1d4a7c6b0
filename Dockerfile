# The image of redriver: Node's current long-term line, the compiled program and its production dependencies.
# Runs as a numeric user, writes nothing to its root filesystem.
#   docker build --build-arg VERSION=0.1.0 --build-arg REVISION=$(git rev-parse HEAD) -t redriver:0.1.0 .
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# Dependencies first: this layer lasts until the lock file changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM ${NODE_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="redriver" \
      org.opencontainers.image.description="Drains the dead letter queue of a hosted HTTP message delivery service, unattended." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
WORKDIR /app
# Everything belongs to root and is only readable: the process cannot change its own program.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# A number, because runAsNonRoot cannot judge a name; deploy/base/deployment.yaml says the same one.
USER 10001:10001
EXPOSE 9466
# Kubernetes asks /livez and /readyz itself.
HEALTHCHECK NONE
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["run"]
